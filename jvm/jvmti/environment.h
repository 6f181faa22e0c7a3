/* SPDX-License-Identifier: MIT */
/*
 * Opens an environment of the tool interface (JVMTI). The agent calls only what
 * version 1.2 of the interface has, the version of JDK 8. It asks for version 9
 * first, because newer JVMs promise what they do for each version.
 */
#ifndef CLEW_JVM_JVMTI_ENVIRONMENT_H
#define CLEW_JVM_JVMTI_ENVIRONMENT_H

#include <jvmti.h>

/* Returns NULL if the JVM has no such interface. */
static inline jvmtiEnv *environment_open(JavaVM *vm)
{
	jvmtiEnv *jvmti = NULL;

	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_9) == JNI_OK ||
	    (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) == JNI_OK)
		return jvmti;
	return NULL;
}

#endif
