/* SPDX-License-Identifier: MIT */
/*
 * The tracker of this recording in a JVM (tracker_class.h). The class is never
 * unloaded. After the recording it counts nothing, whichever method calls it.
 * Any thread may call these functions, except where stated.
 */
#ifndef CLEW_JVM_EXACT_TRACKER_H
#define CLEW_JVM_EXACT_TRACKER_H

#include <jni.h>
#include <jvmti.h>

#include "classfile/class_output.h"

/*
 * Defines the tracker in java.base and initialises it. Returns 0 or -1. Called
 * in VMInit, or on a thread of clew that is attached and in no Java method. In
 * standby it does not count yet.
 */
int tracker_begin(jvmtiEnv *jvmti, JNIEnv *jni, int stands_by);

/*
 * Switches counting in standby, for calls that begin from now on. Returns 0 or
 * -errno.
 */
int tracker_switch(JNIEnv *jni, int is_on);

/* Returns the name of the class that methods call, "java/lang/ClewTracker". */
const char *tracker_name(void);

/*
 * True if a loader finds the tracker. A loader that asks no parent, or only for
 * a list of classes, may refuse. The request is an ordinary one by
 * Class.forName(), which calls Java code.
 */
int tracker_is_found(JNIEnv *jni, jobject loader);

/*
 * Changes the tracker so that it counts nothing, and waits until no earlier
 * caller is in it. Returns 0 or -errno. Called while the JVM still sends events
 * for changed classes.
 */
int tracker_end(jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * True if the class is this tracker and its recording is over. Then stores the
 * new class file.
 */
int tracker_makes(const char *class_name, const struct classfile_caller *caller,
		  struct classfile_result *result);

#endif
