/* SPDX-License-Identifier: MIT */
/*
 * A tracker that counts only while it is switched on (--java=standby), by a
 * static field that methods read before they call the tracker (the gate of
 * classfile/classfile.h).
 */
#ifndef CLEW_JVM_EXACT_TRACKER_STANDBY_H
#define CLEW_JVM_EXACT_TRACKER_STANDBY_H

#include "jvm/exact/tracker_making.h"
#include "preload/host/config.h"
#include "preload/hot/runtime.h"

/* True for --java=standby. */
static inline int standby_is_wanted(void)
{
	return rt.config->java == CONFIG_JAVA_STANDBY;
}

/* Values of the field: calls that begin count if it is above 0. */
enum standby_state {
	STANDBY_OFF = -1,  /* has counted, and does not now */
	STANDBY_NEVER = 0, /* has not counted yet */
	STANDBY_ON = 1,
};

/* Name of the field, an int. */
#define STANDBY_FIELD "STATE"

/*
 * Argument of ClewNatives.passed(): when the call began through which an
 * exception passes.
 */
#define PASSED_NEVER 1 /* before anything counted */
#define PASSED_LATER 2 /* unknown */

/*
 * Writes catching(), exit(), thrown() and caught(), in addition to enter() and
 * leave().
 */
void tracker_standby_write(struct tracker_making *making,
			   enum tracker_layout layout);

#endif
