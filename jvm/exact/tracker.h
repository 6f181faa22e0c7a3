/* SPDX-License-Identifier: MIT */
/*
 * The tracker of this recording, in a machine (tracker_class.h): its class is there for
 * ever, and counts nothing, whoever still calls it, once the recording is over. Any thread but where it says so.
 */
#ifndef CLEW_JVM_EXACT_TRACKER_H
#define CLEW_JVM_EXACT_TRACKER_H

#include <jni.h>
#include <jvmti.h>

#include "classfile/class_output.h"

/*
 * Defined in java.base, and initialised: 0 or -1. In VMInit, or on a thread of ours that
 * is attached and in no Java method. One that stands by counts nothing yet.
 */
int tracker_begin(jvmtiEnv *jvmti, JNIEnv *jni, int stands_by);

/* Of one that stands by: calls that begin from now on count, or do not. 0 or -errno. */
int tracker_switch(JNIEnv *jni, int is_on);

/* What methods have to call, "java/lang/ClewTracker". */
const char *tracker_name(void);

/*
 * Whether a loader has the tracker for its classes: one that asks nobody else, or has a
 * list of what it gives, may refuse. It is asked as it is for any class that one of its
 * own names, which calls Java.
 */
int tracker_is_found(JNIEnv *jni, jobject loader);

/*
 * It is changed to count nothing, and nobody is in it any more who has called it before: 0, or
 * -errno. While the machine asks for the bytes of classes that are changed.
 */
int tracker_end(jvmtiEnv *jvmti, JNIEnv *jni);

/* Whether these bytes are wanted: the class is ours and its recording over. They are made then. */
int tracker_makes(const char *class_name, const struct classfile_caller *caller,
		  struct classfile_result *result);

#endif
