/* SPDX-License-Identifier: MIT */
/*
 * The names of a method, in the JVM's memory. Not available in JVMTI's
 * primordial phase.
 */
#ifndef CLEW_JVM_MACHINE_ASKED_METHOD_H
#define CLEW_JVM_MACHINE_ASKED_METHOD_H

#include <jni.h>
#include <jvmti.h>

#include "preload/generated/records.h"

struct asked_method {
	char *class_name, *name, *signature;
	jclass class; /* a local reference */
};

/*
 * Requests the names. Returns 0 if the JVM does not return them. In both cases
 * the caller must give them back.
 */
int asked_method_ask(jvmtiEnv *jvmti, jmethodID method,
		     struct asked_method *out);
void asked_method_give_back(jvmtiEnv *jvmti, JNIEnv *jni,
			    const struct asked_method *asked);

static inline struct java_method asked_method_names(
	const struct asked_method *asked)
{
	return (struct java_method){ asked->class_name, asked->name,
				     asked->signature };
}

#endif
