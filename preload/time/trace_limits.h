/* SPDX-License-Identifier: MIT */
/*
 * How far a thread's packet goes: for how much it has room, where the stubs' words end, and
 * who may claim a place there (traced.c).
 *
 * The thread itself, of its own packet, and its signal handlers.
 */
#ifndef CLEW_TIME_TRACE_LIMITS_H
#define CLEW_TIME_TRACE_LIMITS_H

#include <stdint.h>

#include "wire/packet.h"

#define TRACE_STAMP_BYTES (4 * WIRE_PACKET_STAMP_WORDS)

/* What a call has beside its words, and all of it. */
uint32_t trace_site_words(void);
uint64_t trace_call_bytes(int is_tail);

/* Of so many bytes, and what a probe keeps of the call that they end with. */
int trace_is_full(uint64_t bytes);

/*
 * Stubs write up to the packet's limit. A handler may come in between and begin another
 * packet, switch the thread, or land: its word is the last.
 */
void trace_set_limit(void);

/* Of so many calls all but the last have their words below the limit. Likewise. */
void trace_plan_stamp(void);

/*
 * For what is said of a slot that has a place above a base. NULL: a handler has moved that
 * meanwhile, or a context is due, or the packet is full.
 */
uint32_t *trace_claim_above(uint64_t base, uint64_t bytes);

#endif
