/* SPDX-License-Identifier: MIT */
/* Which classes are the machine's own: by their loaders. */
#ifndef CLEW_JVM_MACHINE_OWN_LOADERS_H
#define CLEW_JVM_MACHINE_OWN_LOADERS_H

#include <jni.h>

/* Once the machine runs. 0, or -1: it does not say. */
int own_loaders_find(JNIEnv *jni);

/* Whether a class that it has loaded is the machine's; NULL: the first loader. */
int own_loaders_have(JNIEnv *jni, jobject loader);

#endif
