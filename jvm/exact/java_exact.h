/* SPDX-License-Identifier: MIT */
/*
 * Each call of Java methods, counted exactly (--java=exact), or while that is switched on
 * (--java=standby): their classes are rewritten as they are loaded (classfile/), so that
 * they call a tracker (tracker_class.h).
 */
#ifndef CLEW_JVM_EXACT_JAVA_EXACT_H
#define CLEW_JVM_EXACT_JAVA_EXACT_H

#include <jni.h>
#include <jvmti.h>

/* Whether it was asked for, one way or the other. */
int java_exact_is_wanted(void);

/*
 * Whether the JVM should not use an archive of classes: classes from it may go on calling
 * methods of the JDK as these were before clew rewrote them.
 */
int java_exact_avoids_archive(void);

/* Adds what it needs, while a machine is being started. 0, or -1: it has not got it. */
int java_exact_prepare(jvmtiEnv *jvmti, jvmtiEventCallbacks *callbacks);

/*
 * The machine runs: from here on classes are changed. In VMInit, or on a thread of ours
 * that is attached; muted.
 */
void java_exact_begin(jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * Of a machine that stands by: calls of Java methods that begin from now on count, or do
 * not. On a thread that libc has made, in which nothing is counted. 0 or -errno.
 */
int java_exact_switch(int is_on);

/* All classes are given back: 0, or -errno: somebody is still in the tracker. */
int java_exact_end(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
