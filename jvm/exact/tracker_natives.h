/* SPDX-License-Identifier: MIT */
/*
 * The natives of the tracker (tracker_class.h), and virtual threads, which keep their
 * ids while they are not mounted.
 */
#ifndef CLEW_JVM_EXACT_TRACKER_NATIVES_H
#define CLEW_JVM_EXACT_TRACKER_NATIVES_H

#include <jni.h>
#include <jvmti.h>

/* Whether the class of that signature is theirs: nobody counts them. */
int tracker_natives_are(const char *signature);

/*
 * The class is defined: bind them. 0, or -1 if the machine does not find them. By their
 * names in our library, if the machine has loaded that; or else from Java (from_java.h).
 */
int tracker_natives_find(JNIEnv *jni, jclass natives);
int tracker_natives_register(JNIEnv *jni, jclass natives);

/* Events, on the thread that is concerned. */
void tracker_natives_mounted(jvmtiEnv *jvmti, JNIEnv *jni);
void tracker_natives_unmounted(jvmtiEnv *jvmti, JNIEnv *jni);
void tracker_natives_end_thread(void);

#endif
