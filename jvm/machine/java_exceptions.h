/* SPDX-License-Identifier: MIT */
/* Exceptions that Java throws at a call by clew. */
#ifndef CLEW_JVM_MACHINE_JAVA_EXCEPTIONS_H
#define CLEW_JVM_MACHINE_JAVA_EXCEPTIONS_H

#include <jni.h>

/* True if an exception is pending in the calling thread; clears it. */
static inline int has_thrown(JNIEnv *jni)
{
	if (!(*jni)->ExceptionCheck(jni))
		return 0;
	(*jni)->ExceptionClear(jni);
	return 1;
}

#endif
