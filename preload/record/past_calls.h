/* SPDX-License-Identifier: MIT */
/*
 * Counts the calls of a packet (wire/packet.h) that is about to be reused, as
 * if they were made now.
 */
#ifndef CLEW_RECORD_PAST_CALLS_H
#define CLEW_RECORD_PAST_CALLS_H

#include <stdint.h>

#include "preload/hot/tally.h"
#include "wire/packet.h"

/*
 * Counts the calls of a packet, words[0..count), in the calling thread's tally.
 * Before that, zeroes the first word, so that no reader takes these words for a
 * packet and counts the calls again. Returns 0, or -ENOMEM if nothing was
 * changed. Called with signals blocked.
 */
int past_calls_count(struct tally *tally,
		     const struct wire_packet_blocks *blocks, uint32_t *words,
		     uint32_t count);

/* Unmaps the memory of past_calls_count() for an ended session. */
void past_calls_unmap(struct tally *tally);

#endif
