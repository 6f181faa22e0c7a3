/* SPDX-License-Identifier: MIT */
/*
 * What taking time costs (hot/timing.h), measured where it will be taken: with
 * a stub like all others, of a function that does nothing.
 */
#ifndef CLEW_PRELOAD_CALIBRATE_H
#define CLEW_PRELOAD_CALIBRATE_H

#include <stdint.h>

struct time_cost {
	uint32_t self;   /* ticks in the function's own time */
	uint32_t caller; /* ticks in its caller's */
};

/*
 * 0 or -errno. Takes less than a millisecond. Before the program runs, on a
 * thread that has counted nothing yet.
 */
int calibrate(struct time_cost *cost);

#endif
