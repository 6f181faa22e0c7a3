/* SPDX-License-Identifier: MIT */
/*
 * --time=wall: looking at threads when they are due (strata.h), and what is
 * written of that.
 *
 *	a thread that	is written as
 *	is blocked	a sample with the time that the look stands for
 *	runs		nothing: timers sample that by its CPU clock (ticks.h);
 *			where it has none, as one that is blocked, without a pc
 *	is ready to	such a sample, whose reason is the processor
 *	run
 *
 * A thread whose CPU clock stands still has not run, so that it is where it was:
 * its last sample grows, and it is looked at less often. That includes the time
 * from being woken to running.
 */
#ifndef CLEW_TIME_VISITS_H
#define CLEW_TIME_VISITS_H

#include <stdint.h>

#include "preload/time/strata.h"

#define VISITS_NONE UINT64_MAX

/* How often to look; all of the caller's. */
struct visits {
	struct strata_clock clock;
	uint32_t level;      /* of all strata, at least */
	uint32_t wait_level; /* of those of threads that wait, at most */
	int may_ask;         /* the kernel, by files of /proc */
};

/*
 * Look at all threads that are due. Returns the tick when the next one is, or
 * VISITS_NONE. One thread at a time, with all signals blocked.
 */
uint64_t visits_make(const struct visits *visits, uint64_t now_ns);

/* How many threads are visited that have not ended. */
uint64_t visits_threads(void);

#endif
