/* SPDX-License-Identifier: MIT */
/* Places in a thread's packet: what traced.c says of claims. */
#ifndef CLEW_TIME_PACKET_WORDS_H
#define CLEW_TIME_PACKET_WORDS_H

#include <stdint.h>

#include "preload/hot/own_word.h"
#include "preload/hot/thread.h"

/* What was claimed last, but for the first so many bytes. */
static inline void packet_give_back(uint64_t place, uint64_t bytes,
				    uint64_t but)
{
	own_change(&hot.trace_next, place + bytes, place + but);
}

/*
 * Of so many bytes, or 0: the packet is full. Where a handler has begun another packet
 * meanwhile nobody knows in which one the place is: it remains a hole.
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

/* Both halves at once, so that there is no half of it. */
static inline void packet_put_pair(uint32_t *words, uint64_t value)
{
	__builtin_memcpy(words, &value, sizeof(value));
}

#endif
