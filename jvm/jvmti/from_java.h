/* SPDX-License-Identifier: MIT */
/*
 * Calls a function of clew below a Java method. RegisterNatives() prints a
 * warning for natives of the JVM's own classes, unless a Java method calls it
 * whose class has the same loader.
 */
#ifndef CLEW_JVM_JVMTI_FROM_JAVA_H
#define CLEW_JVM_JVMTI_FROM_JAVA_H

#include <jni.h>

typedef void (*from_java_function)(JNIEnv *jni, void *context);

/*
 * Calls function(jni, context) so that its caller is a method of
 * java.lang.Object. The calling thread is clew's own, attached to the JVM, and
 * in no Java method. Returns 0, or -errno if the function was not called. Only
 * one thread may be in this function at a time.
 */
int from_java_call(JavaVM *vm, JNIEnv *jni, from_java_function function,
		   void *context);

#endif
