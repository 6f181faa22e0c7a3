/* SPDX-License-Identifier: MIT */
/*
 * Composes a new Java stack from known methods. Frames determine their methods
 * (java_scopes.h), and most methods have called before, in other stacks. The
 * JVM is asked for the other methods only.
 */
#ifndef CLEW_JVM_NATIVES_JAVA_COMPOSE_H
#define CLEW_JVM_NATIVES_JAVA_COMPOSE_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

struct bridge_frame;

enum composed {
	COMPOSED_NOT,   /* the frames do not determine the stack */
	COMPOSED_KNOWN, /* without a request to the JVM */
	COMPOSED_ASKED,
	COMPOSED_WRONG, /* the JVM's answer differs */
};

/*
 * Composes the number of the calling thread's stack, which is in a bridge and
 * has a hash. *number becomes CALLERS_NOBODY if no Java method calls.
 */
enum composed java_compose(jvmtiEnv *jvmti, JNIEnv *jni,
			   const struct bridge_frame *frame, uint32_t *number);

/* Forgets all methods, because addresses may belong to other methods. */
void java_compose_forget(void);

#endif
