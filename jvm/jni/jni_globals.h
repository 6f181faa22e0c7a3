/* SPDX-License-Identifier: MIT */
/*
 * Which global reference was made where, as long as it lives. Any thread, without
 * a lock. No libc.
 */
#ifndef CLEW_JVM_JNI_JNI_GLOBALS_H
#define CLEW_JVM_JNI_JNI_GLOBALS_H

#include <jni.h>
#include <stdint.h>

/* 0 or -errno. */
int jni_globals_begin(void);

/* note: of the context that made it (jni_note_index()). 0; -ENOSPC: no room. */
int jni_globals_add(jobject reference, uint32_t note);

/* It is going to be deleted: what was said of it; -ENOENT: nothing was. */
int jni_globals_take(jobject reference, uint32_t *note);

#endif
