/* SPDX-License-Identifier: MIT */
/*
 * The tracker: a class of java.base that does in Java what a stub does, called by the
 * methods that have been rewritten (classfile/), and the class of its natives. Their
 * bytes are made here.
 */
#ifndef CLEW_JVM_EXACT_TRACKER_CLASS_H
#define CLEW_JVM_EXACT_TRACKER_CLASS_H

#include "classfile/class_output.h"

#define TRACKER_CLASS   "java/lang/ClewTracker"
#define TRACKER_NATIVES "java/lang/ClewNatives"

/*
 * Where a machine's Thread has had the size of its stack, which nobody reads once it
 * runs: the complement of the address of its block (preload/hot/thread.h) stands there.
 */
enum tracker_layout {
	TRACKER_IN_THREAD, /* Thread.stackSize, until Java 18 */
	TRACKER_IN_HOLDER, /* Thread.holder.stackSize, of a virtual thread's carrier */
};

struct tracker_kind {
	const char *name;
	enum tracker_layout layout;
	int stands_by; /* it counts only while it is told to (tracker_standby.h) */
	/*
	 * The recording is over: methods that still run go on with what they have
	 * kept, but only as long as there is no other session (rt.sessions).
	 */
	int is_over;
};

/* Whether a class of that name is a tracker, or has their natives. */
int tracker_class_is_clews(const char *name);

/* Make the class files. False: there is no memory. */
int tracker_class_make(const struct classfile_caller *caller,
		       const struct tracker_kind *kind,
		       struct classfile_result *result);
int tracker_class_make_natives(const struct classfile_caller *caller,
			       struct classfile_result *result);

#endif
