/* SPDX-License-Identifier: MIT */
/*
 * Verifies the contexts of Java methods that count their own calls: the JVM is
 * asked which methods are active.
 */
#ifndef CLEW_JVM_EXACT_JAVA_VERIFY_H
#define CLEW_JVM_EXACT_JAVA_VERIFY_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

/* Sets the environment to ask from now on; NULL: no verification. */
void java_verify_begin(jvmtiEnv *jvmti);

/* Forgets the numbers of methods, before any verification of a new session. */
void java_verify_forget(void);

/*
 * Verifies the context `id` of the Java method that has called the tracker's
 * native, in which the calling thread is.
 */
void java_verify(JNIEnv *jni, uint64_t id);

/*
 * Returns the context without the innermost Java methods that are not active.
 * The calling thread is in a native of the tracker, and the method that called
 * it is not in the context.
 */
uint64_t java_verify_live(JNIEnv *jni, uint64_t id);

/* Counts a verification that was right or wrong. */
void java_verify_note(int is_right);

#endif
