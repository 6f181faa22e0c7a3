/* SPDX-License-Identifier: MIT */
/*
 * Handles the limits of a thread's packet (wire/packet.h): whether there is
 * room, up to which address stubs may write, and claims of 32-bit words
 * (traced.c).
 *
 * Only the thread itself and its signal handlers call these functions.
 */
#ifndef CLEW_TRACING_TRACE_LIMITS_H
#define CLEW_TRACING_TRACE_LIMITS_H

#include <stdint.h>

#include "wire/packet.h"

#define TRACE_STAMP_BYTES (4 * WIRE_PACKET_STAMP_WORDS)

/*
 * trace_site_words() returns the number of words for a call's site, and
 * trace_call_bytes() the size of all words of a call.
 */
uint32_t trace_site_words(void);
uint64_t trace_call_bytes(int is_tail);

/*
 * Returns whether the packet has no room for so many bytes and for a probe's
 * values behind them.
 */
int trace_is_full(uint64_t bytes);

/*
 * Sets the address up to which stubs write. A signal handler may meanwhile
 * begin another packet, switch the recording of the thread on or off, or leave
 * functions by longjmp(). Its change of the limit remains.
 */
void trace_set_limit(void);

/*
 * Stops the stubs: each further call takes the slow path, until
 * trace_set_limit(). Calls that are too deep also take the slow path.
 */
void trace_stop(void);

/*
 * Sets the limit again if stubs may use it: not while they are stopped by
 * trace_stop() and calls are limited to a depth. The next call then finds out
 * how deep it is.
 */
void trace_renew_limit(void);

/*
 * Plans the next time stamp, by setting the limit behind the words of the calls
 * that precede the stamp. If a signal handler changes the limit meanwhile, its
 * change remains.
 */
void trace_plan_stamp(void);

/*
 * Claims words that describe a slot by its distance from `base`. Returns NULL
 * if a signal handler has moved the stack window meanwhile, a context has to be
 * written first, or the packet is full.
 */
uint32_t *trace_claim_above(uint64_t base, uint64_t bytes);

#endif
