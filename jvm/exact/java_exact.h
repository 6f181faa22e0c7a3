/* SPDX-License-Identifier: MIT */
/*
 * Counts each call of the selected Java methods (--java=exact), or only while
 * counting is switched on (--java=standby). Classes are rewritten as they are
 * loaded (classfile/), so that their methods call a tracker (tracker_class.h).
 */
#ifndef CLEW_JVM_EXACT_JAVA_EXACT_H
#define CLEW_JVM_EXACT_JAVA_EXACT_H

#include <jni.h>
#include <jvmti.h>

/* Returns whether the user has given --java=exact or --java=standby. */
int java_exact_is_wanted(void);

/*
 * Returns whether the JVM should not use an archive of classes, which is the
 * case if methods of the JDK may be selected: classes from an archive may
 * continue to call these methods in their state before clew rewrote them.
 */
int java_exact_avoids_archive(void);

/*
 * Requests capabilities of a JVM that gets the agent, and adds callbacks.
 * Returns 0, or -1 if the JVM refuses or the patterns of --java are invalid.
 */
int java_exact_prepare(jvmtiEnv *jvmti, jvmtiEventCallbacks *callbacks);

/*
 * Begins to change classes. Called once the JVM runs: in VMInit, or on a thread
 * of clew that is attached to the JVM. The caller has muted counting. The
 * part's header contains the reason of a failure.
 */
void java_exact_begin(jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * Switches counting on or off in a JVM in standby, for calls of Java methods
 * that begin from now on. Called on a thread that libc has created and in which
 * nothing is counted. Returns 0; -ENOENT if no JVM is in standby; or another
 * -errno.
 */
int java_exact_switch(int is_on);

/*
 * Restores all classes. Returns 0, or -errno if the JVM refuses, or a thread is
 * still in the tracker; the caller may then call it again.
 */
int java_exact_end(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
