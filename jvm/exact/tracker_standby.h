/* SPDX-License-Identifier: MIT */
/*
 * A tracker that counts only while it is told to (--java=standby), by a static field that
 * methods look at before they call it (the gate of classfile/classfile.h).
 */
#ifndef CLEW_JVM_EXACT_TRACKER_STANDBY_H
#define CLEW_JVM_EXACT_TRACKER_STANDBY_H

#include "jvm/exact/tracker_making.h"
#include "preload/host/config.h"
#include "preload/hot/runtime.h"

/* Whether that was asked for. */
static inline int standby_is_wanted(void)
{
	return rt.config->java == CONFIG_JAVA_STANDBY;
}

/* What the field holds: calls that begin count if it is above 0. */
enum standby_state {
	STANDBY_OFF = -1,  /* it has counted, and does not now */
	STANDBY_NEVER = 0, /* it has not counted yet */
	STANDBY_ON = 1,
};

/* The field, an int. */
#define STANDBY_FIELD "STATE"

/* To ClewNatives.passed(): when the call began that something goes through. */
#define PASSED_NEVER 1 /* before anything counted */
#define PASSED_LATER 2 /* that is not known */

/*
 * Writes catching(), exit(), thrown() and caught(), beside enter() and leave(), which are
 * there.
 */
void tracker_standby_write(struct tracker_making *making,
			   enum tracker_layout layout);

#endif
