/* SPDX-License-Identifier: MIT */
/*
 * Is the context of a Java method right, which has told of its calls itself? The machine
 * is asked which methods are running.
 */
#ifndef CLEW_JVM_EXACT_JAVA_VERIFY_H
#define CLEW_JVM_EXACT_JAVA_VERIFY_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

/* By whom it is asked from now on; NULL: by nobody. */
void java_verify_begin(jvmtiEnv *jvmti);

/* The numbers of methods are others from now on, and nobody asks yet. */
void java_verify_forget(void);

/* The calling thread is in a native of the tracker's, below the method with this id. */
void java_verify(JNIEnv *jni, uint64_t id);

/*
 * A context without the innermost Java methods that are not running: the calling thread is in
 * a native of the tracker's, called by a method that is not in the context.
 */
uint64_t java_verify_live(JNIEnv *jni, uint64_t id);

/* One more that was right, or wrong. */
void java_verify_note(int is_right);

#endif
