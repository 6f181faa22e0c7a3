/* SPDX-License-Identifier: MIT */
/*
 * Determines the number of a new Java stack from the numbers of its methods.
 * HotSpot's data determines the methods of each frame (java_scopes.h), and most
 * of their numbers are cached since they appeared in other stacks. The JVM
 * receives requests only for the others.
 */
#ifndef CLEW_JVM_NATIVES_JAVA_COMPOSE_H
#define CLEW_JVM_NATIVES_JAVA_COMPOSE_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

struct bridge_frame;

enum composed {
	/*
	 * the stack could not be composed: its frames do not determine its
	 * methods, a method got no number, or memory was short
	 */
	COMPOSED_NOT,
	/* all methods were known, so nothing was requested from the JVM */
	COMPOSED_KNOWN,
	COMPOSED_ASKED,
	COMPOSED_WRONG, /* the JVM's answer differs from the frames */
};

/*
 * Stores the number of the calling thread's stack or, without room for stacks,
 * of its innermost method, if the result is COMPOSED_KNOWN or COMPOSED_ASKED.
 * The thread is in the bridge with this frame, and the stack has a hash.
 * *number becomes CALLERS_NOBODY if no Java method calls.
 */
enum composed java_compose(jvmtiEnv *jvmti, JNIEnv *jni,
			   const struct bridge_frame *frame, uint32_t *number);

/* Forgets all methods, because addresses may belong to other methods. */
void java_compose_forget(void);

#endif
