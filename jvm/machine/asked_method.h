/* SPDX-License-Identifier: MIT */
/* What the machine says a method is called, in its memory. Not in the primordial phase. */
#ifndef CLEW_JVM_MACHINE_ASKED_METHOD_H
#define CLEW_JVM_MACHINE_ASKED_METHOD_H

#include <jni.h>
#include <jvmti.h>

#include "preload/generated/records.h"

struct asked_method {
	char *class_name, *name, *signature;
	jclass class; /* a local reference */
};

/* Whether it says; either way it is to be given back. */
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
