/* SPDX-License-Identifier: MIT */
/*
 * --time=wall: observes threads when they are due (strata.h), and writes the
 * results.
 *
 *	thread		sample
 *	blocked		a sample with the time of the observation's stratum
 *	running		Nothing: its CPU timer samples it (ticks.h). Without a timer,
 *			a sample without a pc.
 *	ready to run	a sample whose reason is the processor
 *
 * A thread whose CPU clock has not advanced has not run and is where it was:
 * its last sample grows, and it is observed less often. This includes the time
 * from waking up to running.
 */
#ifndef CLEW_TIME_VISITS_H
#define CLEW_TIME_VISITS_H

#include <stdint.h>

#include "preload/time/strata.h"

#define VISITS_NONE UINT64_MAX

/* How often to observe threads. The caller owns all members. */
struct visits {
	struct strata_clock clock;
	uint32_t level;      /* least level of all strata */
	uint32_t wait_level; /* largest level for waiting threads */
	int may_ask;         /* the watch may read /proc about the thread */
};

/*
 * Observes all threads that are due. Returns the tick of the next observation,
 * or VISITS_NONE. Only one thread at a time may call it, with all signals
 * blocked.
 */
uint64_t visits_make(const struct visits *visits, uint64_t now_ns);

/* Returns the number of watched threads that have not exited. */
uint64_t visits_threads(void);

#endif
