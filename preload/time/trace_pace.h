/* SPDX-License-Identifier: MIT */
/*
 * When the next stamp of a trace is due, where they are to be so much time apart, and how many
 * ticks of the time stamp counter that is.
 */
#ifndef CLEW_TIME_TRACE_PACE_H
#define CLEW_TIME_TRACE_PACE_H

#include <stdint.h>

/* A stamp was written: of the calling thread's stamps. Safe in signal handlers. */
void trace_pace_step(uint64_t tsc);

/*
 * Of the times that were asked for, in nanoseconds, by what the clocks have said by now.
 * Signals blocked.
 */
void trace_pace_learn(void);

#endif
