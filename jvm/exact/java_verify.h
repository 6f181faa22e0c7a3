/* SPDX-License-Identifier: MIT */
/*
 * Verifies the contexts of Java methods that count their own calls: compares a
 * context with the active methods that the JVM reports.
 */
#ifndef CLEW_JVM_EXACT_JAVA_VERIFY_H
#define CLEW_JVM_EXACT_JAVA_VERIFY_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

/*
 * Sets the JVMTI environment by which active methods are requested from now on.
 * With NULL, nothing is verified.
 */
void java_verify_begin(jvmtiEnv *jvmti);

/*
 * Forgets the numbers of methods. Called before any verification of a new
 * session.
 */
void java_verify_forget(void);

/*
 * Verifies the context `id` of a Java method, and counts the result in the
 * part's header. Counts nothing if the JVM does not report the active methods,
 * or if there are too many. The method has called the tracker and the tracker
 * its native, in which the calling thread is.
 */
void java_verify(JNIEnv *jni, uint64_t id);

/*
 * Returns the context `id` without those of its innermost Java methods that are
 * not active any more. Returns `id` if the JVM does not report the active
 * methods. The calling thread is in a native of the tracker, and the method
 * that called it is not in the context.
 */
uint64_t java_verify_live(JNIEnv *jni, uint64_t id);

/* Counts a verification in the part's header, as right or as wrong. */
void java_verify_note(int is_right);

#endif
