/* SPDX-License-Identifier: MIT */
/*
 * What a thread's packet says of time: stamps behind calls, moments between them, and when
 * calls have returned (wire/packet.h).
 *
 * The thread itself, of its own packet, and its signal handlers.
 */
#ifndef CLEW_TIME_TRACE_TIMES_H
#define CLEW_TIME_TRACE_TIMES_H

#include <stdint.h>

/* Behind the call that was written down last. Plans the next one. */
void trace_put_stamp(void);

/* Whether what is said now of the thread's stack is understood. */
int trace_is_in_step(void);

/* Where the packet has no room the next one begins with the time, too. */
void trace_put_moment(void);

/*
 * Of the call that was made at a slot, which has returned at that count of the time stamp
 * counter. One that was too short is taken back, its words with it.
 */
void trace_put_return(const uint64_t *slot, uint64_t tsc);

#endif
