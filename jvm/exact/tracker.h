/* SPDX-License-Identifier: MIT */
/*
 * The tracker of the present recording in a JVM (tracker_class.h). The
 * tracker's class is never unloaded. After the recording its methods count
 * nothing. Any thread may call these functions, except where stated.
 */
#ifndef CLEW_JVM_EXACT_TRACKER_H
#define CLEW_JVM_EXACT_TRACKER_H

#include <jni.h>
#include <jvmti.h>

#include "classfile/class_output.h"

/*
 * Defines the tracker's class in java.base and initialises it. stands_by: the
 * tracker counts nothing until tracker_switch(). Returns 0 or -1. Called in
 * VMInit, or on a thread of clew that is attached to the JVM and in no Java
 * method.
 */
int tracker_begin(jvmtiEnv *jvmti, JNIEnv *jni, int stands_by);

/*
 * Switches counting in standby on or off, for calls that begin from now on.
 * Returns 0 or -errno.
 */
int tracker_switch(JNIEnv *jni, int is_on);

/*
 * Returns the name of the present tracker's class: "java/lang/ClewTracker", in
 * later recordings of a JVM with a number behind it.
 */
const char *tracker_name(void);

/*
 * Returns whether a class loader finds the tracker. A loader that does not
 * delegate to its parent, or only for certain classes, may not find the
 * tracker. The search is a Class.forName(), which runs Java code of the loader.
 */
int tracker_is_found(JNIEnv *jni, jobject loader);

/*
 * Changes the tracker so that it counts nothing, and waits until no thread is
 * in its former code. Returns 0, also if there is no tracker, or -EBUSY if the
 * JVM refuses or a thread stays in this code for too long. Called while the JVM
 * still sends events for changed classes.
 */
int tracker_end(jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * If the class is the present tracker and the recording is over, stores the
 * class file of a tracker that counts nothing in *result and returns 1.
 * Otherwise, or if memory is short, returns 0.
 */
int tracker_makes(const char *class_name, const struct classfile_caller *caller,
		  struct classfile_result *result);

#endif
