/* SPDX-License-Identifier: MIT */
/*
 * Decides when the next stamp of a trace is due, if stamps have a distance in
 * time, and converts this time to ticks of the time stamp counter.
 */
#ifndef CLEW_TRACING_TRACE_PACE_H
#define CLEW_TRACING_TRACE_PACE_H

#include <stdint.h>

/*
 * Notes that the calling thread has written a stamp. Safe in signal handlers.
 */
void trace_pace_step(uint64_t tsc);

/*
 * Converts the requested times from nanoseconds to ticks, by the clocks read so
 * far. Signals blocked.
 */
void trace_pace_learn(void);

#endif
