/* SPDX-License-Identifier: MIT */
/*
 * The names of JNI's functions, by their places in the table
 * JNINativeInterface_ (jni.h). The first place is 0.
 */
#ifndef CLEW_JVM_JNI_JNI_FUNCTIONS_H
#define CLEW_JVM_JNI_JNI_FUNCTIONS_H

#include <jni.h>
#include <stddef.h>
#include <stdint.h>

#include "jvm/jni/jni_places.h"

/* The place in the table of a function that jni.h declares. */
#define JNI_PLACE(name)                                                        \
	(offsetof(struct JNINativeInterface_, name) / sizeof(void *))

/* The names by place. NULL if the place is reserved. */
extern const char *const jni_function_names[JNI_FUNCTIONS_MAX];

/*
 * Returns the number of places in the table of a JNI version, as far as they
 * are known; `version` has the format of GetVersion(). Versions before 1.6 have
 * no known functions.
 */
uint32_t jni_function_count(jint version);

#endif
