/* SPDX-License-Identifier: MIT */
/*
 * A tracker that counts only while it is switched on (--java=standby). A static
 * field of the tracker is the switch. Methods read this field before they call
 * the tracker (the gate of classfile/classfile.h).
 */
#ifndef CLEW_JVM_EXACT_TRACKER_STANDBY_H
#define CLEW_JVM_EXACT_TRACKER_STANDBY_H

#include "jvm/exact/tracker_making.h"
#include "preload/host/config.h"
#include "preload/hot/runtime.h"

/* Returns whether the user has given --java=standby. */
static inline int standby_is_wanted(void)
{
	return rt.config->java == CONFIG_JAVA_STANDBY;
}

/* Values of the field: calls that begin count if it is above 0. */
enum standby_state {
	STANDBY_OFF = -1,  /* counting was on before, and is off now */
	STANDBY_NEVER = 0, /* counting was never on */
	STANDBY_ON = 1,
};

/* Name of the field, an int. */
#define STANDBY_FIELD "STATE"

/*
 * Argument of ClewNatives.passed(): when the call began that an exception
 * leaves or in which it is caught.
 */
#define PASSED_NEVER 1 /* before counting was on for the first time */
#define PASSED_LATER 2 /* it is not known when the call began */

/*
 * Writes catching(), exit(), thrown() and caught(), in addition to enter() and
 * leave().
 */
void tracker_standby_write(struct tracker_making *making,
			   enum tracker_layout layout);

#endif
