/* SPDX-License-Identifier: MIT */
/*
 * For --time=wall: observes threads at the times that strata.h chooses, and
 * records what they do as samples.
 *
 *	thread		sample
 *	blocked		a sample with the time of the observation's stratum
 *	running		none, because its CPU timer samples it (ticks.h);
 *			without a timer, a sample without a pc
 *	ready to run	without a timer, as if running; otherwise a sample
 *			whose reason is the processor, once such waits add up
 *			to 1 ms
 *
 * If the CPU clock of a blocked thread has not advanced since the last
 * observation, the thread is still in the same wait: its last sample grows, and
 * it is observed less often. The time from being woken up to running counts as
 * part of the wait.
 */
#ifndef CLEW_TIME_VISITS_H
#define CLEW_TIME_VISITS_H

#include <stdint.h>

#include "preload/time/strata.h"

#define VISITS_NONE UINT64_MAX

/* How often threads are observed. Only the caller changes the members. */
struct visits {
	struct strata_clock clock;
	uint32_t level;      /* minimum level of all strata */
	uint32_t wait_level; /* maximum level for waiting threads */
	int may_ask;         /* the watch may read /proc about the thread */
};

/*
 * Observes all threads that are due. Returns the tick of the next observation,
 * or VISITS_NONE. Only one thread at a time may call it, with all signals
 * blocked.
 */
uint64_t visits_make(const struct visits *visits, uint64_t now_ns);

/* Returns the number of threads that are observed and have not exited. */
uint64_t visits_threads(void);

#endif
