/* SPDX-License-Identifier: MIT */
/*
 * A function that is called as though Java called it. RegisterNatives() warns on the
 * console of natives of the machine's own classes, unless its caller in Java has their
 * loader.
 */
#ifndef CLEW_JVM_MACHINE_FROM_JAVA_H
#define CLEW_JVM_MACHINE_FROM_JAVA_H

#include <jni.h>

typedef void (*from_java_function)(JNIEnv *jni, void *context);

/*
 * Call it, with a method of java.lang.Object as its caller. On a thread of ours that is
 * attached and in no Java method. 0, or -errno: it was not called. One thread at a time.
 */
int from_java_call(JavaVM *vm, JNIEnv *jni, from_java_function function,
		   void *context);

#endif
