/* SPDX-License-Identifier: MIT */
/* Exceptions that are thrown when clew calls Java or JNI. */
#ifndef CLEW_JVM_JVMTI_JAVA_EXCEPTIONS_H
#define CLEW_JVM_JVMTI_JAVA_EXCEPTIONS_H

#include <jni.h>

/*
 * Returns whether an exception is pending in the calling thread, and clears it.
 */
static inline int has_thrown(JNIEnv *jni)
{
	if (!(*jni)->ExceptionCheck(jni))
		return 0;
	(*jni)->ExceptionClear(jni);
	return 1;
}

#endif
