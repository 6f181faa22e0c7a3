/* SPDX-License-Identifier: MIT */
/* Recognizes the JVM's own classes by their loaders. */
#ifndef CLEW_JVM_JVMTI_OWN_LOADERS_H
#define CLEW_JVM_JVMTI_OWN_LOADERS_H

#include <jni.h>

/*
 * Finds the platform class loader. Called once the JVM runs. Returns 0, or -1
 * if the loader is not found.
 */
int own_loaders_find(JNIEnv *jni);

/*
 * Returns whether a class loader is the bootstrap loader (NULL) or the platform
 * class loader.
 */
int own_loaders_have(JNIEnv *jni, jobject loader);

#endif
