/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of taking time (hot/timing.h) in the running process: with
 * a stub like all others, for a function that does nothing.
 */
#ifndef CLEW_STUBS_CALIBRATE_H
#define CLEW_STUBS_CALIBRATE_H

#include <stdint.h>

struct time_cost {
	uint32_t self;   /* ticks in the function's own time */
	uint32_t caller; /* ticks in its caller's */
};

/*
 * Returns 0 or -errno. Takes less than a millisecond. Call it before the
 * program runs, on a thread that has counted nothing yet.
 */
int calibrate(struct time_cost *cost);

#endif
