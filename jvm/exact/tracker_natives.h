/* SPDX-License-Identifier: MIT */
/*
 * The natives of the tracker (tracker_class.h), and the ids of virtual threads
 * that are not mounted.
 */
#ifndef CLEW_JVM_EXACT_TRACKER_NATIVES_H
#define CLEW_JVM_EXACT_TRACKER_NATIVES_H

#include <jni.h>
#include <jvmti.h>

/*
 * True if the signature is that of their class; calls of them are not counted.
 */
int tracker_natives_are(const char *signature);

/*
 * Bind the natives after their class was defined: tracker_natives_find() by
 * their names, if the JVM has loaded libclew.so; otherwise
 * tracker_natives_register(), called from Java (from_java.h). Return 0, or -1
 * if the JVM does not find them.
 */
int tracker_natives_find(JNIEnv *jni, jclass natives);
int tracker_natives_register(JNIEnv *jni, jclass natives);

/* Events, on the thread that they belong to. */
void tracker_natives_mounted(jvmtiEnv *jvmti, JNIEnv *jni);
void tracker_natives_unmounted(jvmtiEnv *jvmti, JNIEnv *jni);
void tracker_natives_end_thread(void);

#endif
