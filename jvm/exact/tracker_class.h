/* SPDX-License-Identifier: MIT */
/*
 * The tracker: a class of java.base that does in Java what a stub does.
 * Rewritten methods call its methods (classfile/). This module generates the
 * class file of the tracker, and that of a second class with the tracker's
 * natives.
 */
#ifndef CLEW_JVM_EXACT_TRACKER_CLASS_H
#define CLEW_JVM_EXACT_TRACKER_CLASS_H

#include "classfile/class_output.h"

#define TRACKER_CLASS   "java/lang/ClewTracker"
#define TRACKER_NATIVES "java/lang/ClewNatives"

/*
 * Where the JVM's Java code stores the requested stack size of a thread, which
 * the JVM does not read once the thread runs. The tracker stores the complement
 * of the address of the thread's block (preload/hot/thread.h) in this field.
 */
enum tracker_layout {
	TRACKER_IN_THREAD_8, /* in Thread.stackSize, by Unsafe of Java 8 */
	TRACKER_IN_THREAD,   /* in Thread.stackSize (until Java 18) */
	/*
	 * in Thread.holder.stackSize; for a virtual thread in that of its
	 * carrier
	 */
	TRACKER_IN_HOLDER,
};

struct tracker_kind {
	const char *name;
	enum tracker_layout layout;
	/*
	 * whether the tracker counts only while it is switched on
	 * (tracker_standby.h)
	 */
	int stands_by;
	/*
	 * Whether the recording is over. Methods that still run continue with
	 * their stored ids, but only as long as there is no other session
	 * (rt.sessions).
	 */
	int is_over;
};

/*
 * Returns whether the name is that of a tracker of any recording, or of the
 * class with the natives.
 */
int tracker_class_is_clews(const char *name);

/*
 * Both functions generate a class file in memory of the caller, and return 0 if
 * memory is short.
 */
int tracker_class_make(const struct classfile_caller *caller,
		       const struct tracker_kind *kind,
		       struct classfile_result *result);
int tracker_class_make_natives(const struct classfile_caller *caller,
			       struct classfile_result *result);

#endif
