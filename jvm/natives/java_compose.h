/* SPDX-License-Identifier: MIT */
/*
 * A Java stack that is new, composed of what is known: its frames say which methods
 * they are of (java_scopes.h), and most of these have called before, in other stacks.
 * The machine is asked for the others alone.
 */
#ifndef CLEW_JVM_NATIVES_JAVA_COMPOSE_H
#define CLEW_JVM_NATIVES_JAVA_COMPOSE_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

struct bridge_frame;

enum composed {
	COMPOSED_NOT,   /* it cannot be told by its frames */
	COMPOSED_KNOWN, /* nobody was asked */
	COMPOSED_ASKED,
	COMPOSED_WRONG, /* the machine tells it otherwise */
};

/*
 * The number of the calling thread's stack, which is in a bridge and has a hash;
 * *number: CALLERS_NOBODY if no Java method calls.
 */
enum composed java_compose(jvmtiEnv *jvmti, JNIEnv *jni,
			   const struct bridge_frame *frame, uint32_t *number);

/* Addresses may become other methods'. */
void java_compose_forget(void);

#endif
