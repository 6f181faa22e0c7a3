/* SPDX-License-Identifier: MIT */
/*
 * Measures what timing a call costs (hot/timing.h). The measurement runs in
 * this process, with a timed stub for a function that does nothing.
 */
#ifndef CLEW_STUBS_CALIBRATE_H
#define CLEW_STUBS_CALIBRATE_H

#include <stdint.h>

struct time_cost {
	/* ticks that a timed call adds to the function's own time */
	uint32_t self;
	/* ticks that a timed call adds to its caller's own time */
	uint32_t caller;
};

/*
 * Measures the costs. Returns 0 or -errno. This takes less than a millisecond.
 * Called before the program runs or when clew attaches, on a thread that has
 * counted nothing yet.
 */
int calibrate(struct time_cost *cost);

#endif
