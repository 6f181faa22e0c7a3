/* SPDX-License-Identifier: MIT */
/*
 * The tracker: a class of java.base that does in Java what a stub does.
 * Rewritten methods call it (classfile/). This module generates its class file,
 * and that of the class with its natives.
 */
#ifndef CLEW_JVM_EXACT_TRACKER_CLASS_H
#define CLEW_JVM_EXACT_TRACKER_CLASS_H

#include "classfile/class_output.h"

#define TRACKER_CLASS   "java/lang/ClewTracker"
#define TRACKER_NATIVES "java/lang/ClewNatives"

/*
 * The field of a Thread with the requested stack size, which the JVM does not
 * read once the thread runs. The tracker stores there the complement of the
 * address of the thread's block (preload/hot/thread.h).
 */
enum tracker_layout {
	TRACKER_IN_THREAD, /* Thread.stackSize, until Java 18 */
	/* Thread.holder.stackSize, of a virtual thread's carrier */
	TRACKER_IN_HOLDER,
};

struct tracker_kind {
	const char *name;
	enum tracker_layout layout;
	int stands_by; /* counts only while switched on (tracker_standby.h) */
	/*
	 * The recording is over. Methods that still run continue with their
	 * stored ids, but only as long as there is no other session
	 * (rt.sessions).
	 */
	int is_over;
};

/* True if the name is that of a tracker, or of their natives' class. */
int tracker_class_is_clews(const char *name);

/* Generate the class files. Return 0 if memory is short. */
int tracker_class_make(const struct classfile_caller *caller,
		       const struct tracker_kind *kind,
		       struct classfile_result *result);
int tracker_class_make_natives(const struct classfile_caller *caller,
			       struct classfile_result *result);

#endif
