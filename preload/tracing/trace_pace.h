/* SPDX-License-Identifier: MIT */
/*
 * Decides when the next time stamp is written into a trace, if the user has
 * requested a time between stamps. Converts this time to ticks of the time
 * stamp counter.
 */
#ifndef CLEW_TRACING_TRACE_PACE_H
#define CLEW_TRACING_TRACE_PACE_H

#include <stdint.h>

/*
 * Computes after how many calls the next stamp is due. Called when the calling
 * thread has written a stamp. Signal handlers may call this function.
 */
void trace_pace_step(uint64_t tsc);

/*
 * Converts the requested times from nanoseconds to ticks, by the clocks read so
 * far. The caller has blocked signals.
 */
void trace_pace_learn(void);

#endif
