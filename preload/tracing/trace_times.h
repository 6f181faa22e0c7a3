/* SPDX-License-Identifier: MIT */
/*
 * Times in a thread's packet: stamps behind calls, moments between them, and
 * returns (wire/packet.h).
 *
 * The thread itself and its signal handlers call these functions, for its own
 * packet.
 */
#ifndef CLEW_TRACING_TRACE_TIMES_H
#define CLEW_TRACING_TRACE_TIMES_H

#include <stdint.h>

/* Writes a stamp behind the latest call. Plans the next one. */
void trace_put_stamp(void);

/* Returns whether the packet agrees with the thread's stack. */
int trace_is_in_step(void);

/*
 * Writes a moment. If the packet has no room, the moment is omitted, because
 * the next packet begins with a time.
 */
void trace_put_moment(void);

/*
 * Writes the return, at this time stamp, of the call at a slot. If the call was
 * too short (least_ticks), removes all its words instead.
 */
void trace_put_return(const uint64_t *slot, uint64_t tsc);

#endif
