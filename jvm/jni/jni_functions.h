/* SPDX-License-Identifier: MIT */
/*
 * JNI's functions, by their places in its table (jni.h: JNINativeInterface_).
 */
#ifndef CLEW_JVM_JNI_JNI_FUNCTIONS_H
#define CLEW_JVM_JNI_JNI_FUNCTIONS_H

#include <jni.h>
#include <stddef.h>
#include <stdint.h>

#define JNI_FUNCTIONS_MAX 236 /* of Java 24 */

/* Where in the table a function that jni.h knows is. */
#define JNI_PLACE(name)                                                        \
	(offsetof(struct JNINativeInterface_, name) / sizeof(void *))

/* NULL: that place is reserved. */
extern const char *const jni_function_names[JNI_FUNCTIONS_MAX];

/* How many places there are in that version, as GetVersion() says it. */
uint32_t jni_function_count(jint version);

#endif
