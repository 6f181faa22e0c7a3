/* SPDX-License-Identifier: MIT */
/*
 * A tracker that counts only while it is told to (--java=standby): methods in front of
 * those that count, with one test of one static field.
 */
#ifndef CLEW_JVM_TRACKER_STANDBY_H
#define CLEW_JVM_TRACKER_STANDBY_H

#include "jvm/tracker_making.h"
#include "preload/host/config.h"
#include "preload/hot/runtime.h"

/* Whether that was asked for. */
static inline int standby_is_wanted(void)
{
	return rt.config->java == CONFIG_JAVA_STANDBY;
}

/* What the field holds. */
enum standby_state {
	STANDBY_NEVER, /* it has not counted yet */
	STANDBY_ON,
	STANDBY_OFF, /* it has counted, and does not now */
};

/* The field, an int. */
#define STANDBY_FIELD "STATE"

/*
 * What enter() returns while nothing is counted, in place of the caller's id, which is
 * 0 or a hash of 64 bits. By the state.
 */
#define KEPT_NEVER 2
#define KEPT_OFF   3

/*
 * Writes enter(), state(), catching(), exit(), thrown() and caught(), in front of count()
 * and leave(), which are there.
 */
void tracker_standby_write(struct tracker_making *making,
			   enum tracker_layout layout);

#endif
