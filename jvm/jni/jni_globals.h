/* SPDX-License-Identifier: MIT */
/*
 * The contexts in which the existing global references were created. Any thread
 * may use it, without locks and without libc.
 */
#ifndef CLEW_JVM_JNI_JNI_GLOBALS_H
#define CLEW_JVM_JNI_JNI_GLOBALS_H

#include <jni.h>
#include <stdint.h>

/* Allocates the table. Returns 0 or -errno. */
int jni_globals_begin(void);

/*
 * Adds a reference with the note of the context that created it
 * (jni_note_index()). Returns 0, or -ENOSPC without room.
 */
int jni_globals_add(jobject reference, uint32_t note);

/*
 * Removes a reference that is about to be deleted, and stores its note. Returns
 * 0, or -ENOENT if it was not added.
 */
int jni_globals_take(jobject reference, uint32_t *note);

#endif
