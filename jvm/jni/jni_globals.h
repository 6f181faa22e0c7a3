/* SPDX-License-Identifier: MIT */
/*
 * Stores the contexts in which the existing global references were created. Any
 * thread may call these functions, which use neither locks nor libc.
 */
#ifndef CLEW_JVM_JNI_JNI_GLOBALS_H
#define CLEW_JVM_JNI_JNI_GLOBALS_H

#include <jni.h>
#include <stdint.h>

/* Allocates the table. Returns 0 or -errno. */
int jni_globals_begin(void);

/*
 * Adds a reference. `note` is the index of the note on the context that created
 * the reference (jni_note_index()). Returns 0, or -ENOSPC without room.
 */
int jni_globals_add(jobject reference, uint32_t note);

/*
 * Removes a reference that is about to be deleted, and stores its note's index.
 * Returns 0, or -ENOENT if the reference was not added.
 */
int jni_globals_take(jobject reference, uint32_t *note);

#endif
