/* SPDX-License-Identifier: MIT */
/*
 * Where the context of Java waits while native code runs that Java has called: with the
 * outermost of ours in between, which puts it back when that returns. That is a bridge, or the
 * stub of a hooked function; or, if there is none, it is the thread's own.
 *
 *	Java --> bridge --> stub --> native --> ...
 *	         caller_id
 *
 *	Java --> the machine, not hooked --> stub --> the machine --> stub --> ...
 *	                                     caller_id
 *
 * Who changes what Java goes on with, as virtual threads do that come and leave in
 * the midst of that, changes it there. What is in between goes on in the context
 * in which it was called.
 */
#ifndef CLEW_JVM_EXACT_JAVA_BORDER_H
#define CLEW_JVM_EXACT_JAVA_BORDER_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

/* Once, on a platform thread. 0, or -1: the machine does not say where Java ends. */
int java_border_learn(jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * The calling thread, which is in native code that Java has called, goes on with this id
 * in Java. Returns that with which it would have gone on.
 */
uint64_t java_border_exchange(JNIEnv *jni, uint64_t now);

#endif
