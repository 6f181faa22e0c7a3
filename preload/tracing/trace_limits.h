/* SPDX-License-Identifier: MIT */
/*
 * The limits of a thread's packet: its room, the end of the stubs' words, and
 * claims of words (traced.c).
 *
 * The thread itself and its signal handlers call these functions, for its own
 * packet.
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
 * Returns whether the packet has no room for these bytes and for a probe's
 * values behind them.
 */
int trace_is_full(uint64_t bytes);

/*
 * Sets the limit up to which stubs write. A handler in between may begin
 * another packet, switch the thread, or land; its change remains.
 */
void trace_set_limit(void);

/*
 * Plans the next time stamp: all calls before it have their words below the
 * limit. A handler's change in between remains.
 */
void trace_plan_stamp(void);

/*
 * Claims words that describe a slot above `base`. Returns NULL if a handler has
 * moved the window meanwhile, a context is due, or the packet is full.
 */
uint32_t *trace_claim_above(uint64_t base, uint64_t bytes);

#endif
