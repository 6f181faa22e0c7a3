/* SPDX-License-Identifier: MIT */
/*
 * The names of a method, in memory that the JVM has allocated. The JVM returns
 * them only after JVMTI's primordial phase.
 */
#ifndef CLEW_JVM_JVMTI_ASKED_METHOD_H
#define CLEW_JVM_JVMTI_ASKED_METHOD_H

#include <jni.h>
#include <jvmti.h>

#include "preload/generated/records.h"

struct asked_method {
	char *class_name, *name, *signature;
	jclass class; /* the method's class, a local reference */
};

/*
 * asked_method_ask() requests a method's names, and returns 0 if the JVM does
 * not return all of them. In both cases the caller must call
 * asked_method_give_back() afterwards.
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
