/* SPDX-License-Identifier: MIT */
/*
 * Calls a function as though Java called it. RegisterNatives() prints a warning
 * for natives of the JVM's own classes, unless its caller in Java has their
 * class loader.
 */
#ifndef CLEW_JVM_MACHINE_FROM_JAVA_H
#define CLEW_JVM_MACHINE_FROM_JAVA_H

#include <jni.h>

typedef void (*from_java_function)(JNIEnv *jni, void *context);

/*
 * Calls the function with a method of java.lang.Object as its caller. The
 * calling thread is clew's own, attached, and in no Java method. Returns 0, or
 * -errno if the function was not called. Only one thread may do this at a time.
 */
int from_java_call(JavaVM *vm, JNIEnv *jni, from_java_function function,
		   void *context);

#endif
