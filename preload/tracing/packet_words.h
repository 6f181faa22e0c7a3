/* SPDX-License-Identifier: MIT */
/*
 * Claims 32-bit words in the thread's packet, which is the part of the trace
 * that the thread writes (wire/packet.h). traced.c describes the claims.
 */
#ifndef CLEW_TRACING_PACKET_WORDS_H
#define CLEW_TRACING_PACKET_WORDS_H

#include <stdint.h>

#include "preload/hot/own_word.h"
#include "preload/hot/thread.h"

/*
 * Gives back the words of the latest claim, except its first `but` bytes. Does
 * nothing if a signal handler has claimed words since.
 */
static inline void packet_give_back(uint64_t place, uint64_t bytes,
				    uint64_t but)
{
	own_change(&hot.trace_next, place + bytes, place + but);
}

/*
 * Claims bytes. Returns their address, or 0 if the packet is full. If a signal
 * handler begins another packet meanwhile, the claim may be in either packet.
 * The claimed bytes then stay a hole, and the function claims again.
 */
static inline uint64_t packet_claim(uint64_t bytes)
{
	const volatile struct hot_packet *const packet = &hot.packet;
	uint64_t end, place;

	do {
		end = packet->end;
		place = own_fetch_add(&hot.trace_next, bytes);
	} while (end != packet->end);
	if (place + bytes <= end)
		return place;
	packet_give_back(place, bytes, 0);
	return 0;
}

/*
 * Writes two words by one store, so that a reader never sees only one of them.
 */
static inline void packet_put_pair(uint32_t *words, uint64_t value)
{
	__builtin_memcpy(words, &value, sizeof(value));
}

#endif
