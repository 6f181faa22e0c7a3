/* SPDX-License-Identifier: MIT */
/* Recognizes the JVM's own classes by their loaders. */
#ifndef CLEW_JVM_MACHINE_OWN_LOADERS_H
#define CLEW_JVM_MACHINE_OWN_LOADERS_H

#include <jni.h>

/*
 * Finds the loaders once the JVM runs. Returns 0, or -1 if that is not
 * possible.
 */
int own_loaders_find(JNIEnv *jni);

/* True if the loader is the JVM's own; NULL is the first loader. */
int own_loaders_have(JNIEnv *jni, jobject loader);

#endif
