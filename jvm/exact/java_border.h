/* SPDX-License-Identifier: MIT */
/*
 * Where the context of Java is stored while native code runs that Java has
 * called. The outermost of clew's frames in between restores it when native
 * code returns: a bridge, or the stub of a hooked function. Without such a
 * frame it is the thread's own id.
 *
 *	Java --> bridge --> stub --> native --> ...
 *		 caller_id
 *
 *	Java --> the JVM, not hooked --> stub --> the JVM --> stub --> ...
 *					 caller_id
 *
 * Virtual threads are mounted and unmounted inside of such calls. The id with
 * which Java continues is exchanged in that place. The frames in between
 * continue in the context in which they were called.
 */
#ifndef CLEW_JVM_EXACT_JAVA_BORDER_H
#define CLEW_JVM_EXACT_JAVA_BORDER_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

/*
 * Runs once, on a platform thread. Returns 0, or -1 if the JVM does not
 * describe where Java's stack ends.
 */
int java_border_learn(jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * Makes the calling thread, which is in native code that Java has called,
 * continue with this id in Java. Returns the former one.
 */
uint64_t java_border_exchange(JNIEnv *jni, uint64_t now);

#endif
