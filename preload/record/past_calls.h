/* SPDX-License-Identifier: MIT */
/*
 * The calls of a packet (wire/packet.h) that is about to be used again, counted as if
 * they were made now.
 */
#ifndef CLEW_RECORD_PAST_CALLS_H
#define CLEW_RECORD_PAST_CALLS_H

#include <stdint.h>

#include "preload/hot/tally.h"
#include "wire/packet.h"

/*
 * Counts them in the calling thread's tally, of which the packet is. What it begins
 * with is no context any more when this returns, so that nobody counts its calls
 * again. 0, or -ENOMEM: nothing was counted. Signals blocked.
 */
int past_calls_count(struct tally *tally,
		     const struct wire_packet_blocks *blocks, uint32_t *words,
		     uint32_t count);

#endif
