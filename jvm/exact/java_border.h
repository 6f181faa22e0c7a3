/* SPDX-License-Identifier: MIT */
/*
 * Finds and changes the id of the context in which Java will continue, while
 * native code runs that Java has called. Among the calls between Java and the
 * present native function, the outermost bridge or stub of a hooked function
 * has stored this id and restores it when it returns. Without a bridge and a
 * stub it is the thread's own id.
 *
 *	Java --> bridge --> stub --> native --> ...
 *		 caller_id
 *
 *	Java --> the JVM, not hooked --> stub --> the JVM --> stub --> ...
 *					 caller_id
 *
 * Virtual threads are mounted and unmounted inside of such native calls. The id
 * is then exchanged where it is stored, marked caller_id above. The native
 * functions that are active continue in the contexts in which they were called.
 */
#ifndef CLEW_JVM_EXACT_JAVA_BORDER_H
#define CLEW_JVM_EXACT_JAVA_BORDER_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

/*
 * Learns where the JVM stores a thread's innermost Java stack pointer. Called
 * once, on a platform thread. Returns 0, or -1 if the JVM does not describe
 * this.
 */
int java_border_learn(jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * Makes the calling thread, which is in native code that Java has called,
 * continue with the id `now` when it returns to Java. Returns the id with which
 * it would have continued.
 */
uint64_t java_border_exchange(JNIEnv *jni, uint64_t now);

#endif
