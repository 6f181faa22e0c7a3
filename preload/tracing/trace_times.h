/* SPDX-License-Identifier: MIT */
/*
 * Writes times into a thread's packet (wire/packet.h): time stamps behind
 * calls, times between calls, and times of returns.
 *
 * Only the thread itself and its signal handlers call these functions.
 */
#ifndef CLEW_TRACING_TRACE_TIMES_H
#define CLEW_TRACING_TRACE_TIMES_H

#include <stdint.h>

/*
 * Writes a time stamp behind the latest call, and plans the next stamp. Does
 * nothing if the packet is full.
 */
void trace_put_stamp(void);

/*
 * Returns whether the thread's calls are recorded, and the contexts in the
 * packet agree with its stack.
 */
int trace_is_in_step(void);

/*
 * Writes the present time between two calls. Nothing is written if the packet
 * has no room or a context has to be written next, because a context begins
 * with a time.
 */
void trace_put_moment(void);

/*
 * Writes that the call at a slot has returned at the time `tsc`. If the call
 * was too short to be recorded (least_ticks) and its words are the latest ones,
 * removes them instead.
 */
void trace_put_return(const uint64_t *slot, uint64_t tsc);

#endif
