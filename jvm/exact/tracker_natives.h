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
 * Returns whether a class has these natives, by the signature of the class.
 * Calls of these natives are not counted.
 */
int tracker_natives_are(const char *signature);

/*
 * Bind the natives after their class was defined. tracker_natives_find() lets
 * the JVM find them by their names, if it has loaded libclew.so as an agent.
 * tracker_natives_register() is for all other JVMs, and must be called from
 * Java (from_java.h). Return 0, or -1 if the natives cannot be bound.
 */
int tracker_natives_find(JNIEnv *jni, jclass natives);
int tracker_natives_register(JNIEnv *jni, jclass natives);

/*
 * The first two are called when a virtual thread is mounted or unmounted, on
 * its carrier thread, and exchange the id of the carrier's context for that of
 * the virtual thread's context, or back. tracker_natives_end_thread() is called
 * when a thread ends without active Java methods, and verifies that its context
 * contains none.
 */
void tracker_natives_mounted(jvmtiEnv *jvmti, JNIEnv *jni);
void tracker_natives_unmounted(jvmtiEnv *jvmti, JNIEnv *jni);
void tracker_natives_end_thread(void);

#endif
