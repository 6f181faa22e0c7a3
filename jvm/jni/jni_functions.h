/* SPDX-License-Identifier: MIT */
/* JNI's functions by their places in its table (jni.h: JNINativeInterface_). */
#ifndef CLEW_JVM_JNI_JNI_FUNCTIONS_H
#define CLEW_JVM_JNI_JNI_FUNCTIONS_H

#include <jni.h>
#include <stddef.h>
#include <stdint.h>

#define JNI_FUNCTIONS_MAX 236 /* places in Java 24 */

/* Place of a function that jni.h declares. */
#define JNI_PLACE(name)                                                        \
	(offsetof(struct JNINativeInterface_, name) / sizeof(void *))

/* NULL: the place is reserved. */
extern const char *const jni_function_names[JNI_FUNCTIONS_MAX];

/*
 * Returns the number of places in a version, which has GetVersion()'s format.
 */
uint32_t jni_function_count(jint version);

#endif
