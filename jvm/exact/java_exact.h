/* SPDX-License-Identifier: MIT */
/*
 * Counts each call of Java methods exactly (--java=exact), or while counting is
 * switched on (--java=standby). Classes are rewritten as they are loaded
 * (classfile/), so that their methods call a tracker (tracker_class.h).
 */
#ifndef CLEW_JVM_EXACT_JAVA_EXACT_H
#define CLEW_JVM_EXACT_JAVA_EXACT_H

#include <jni.h>
#include <jvmti.h>

/* True for both options. */
int java_exact_is_wanted(void);

/*
 * Whether the JVM should not use an archive of classes: classes from an archive
 * may continue to call methods of the JDK as these were before clew rewrote
 * them.
 */
int java_exact_avoids_archive(void);

/*
 * Requests capabilities and sets callbacks while a JVM is being started.
 * Returns 0, or -1 if the JVM refuses.
 */
int java_exact_prepare(jvmtiEnv *jvmti, jvmtiEventCallbacks *callbacks);

/*
 * Begins to change classes, once the JVM runs. Called in VMInit, or on an
 * attached thread of clew, with counting muted.
 */
void java_exact_begin(jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * Switches counting in a JVM in standby, for calls of Java methods that begin
 * from now on. Called on a thread that libc has created and in which nothing is
 * counted. Returns 0 or -errno.
 */
int java_exact_switch(int is_on);

/*
 * Restores all classes. Returns 0, or -errno if a thread is still in the
 * tracker.
 */
int java_exact_end(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
