/* SPDX-License-Identifier: MIT */
/* Places in a thread's packet: what traced.c says of claims. */
#ifndef CLEW_TIME_PACKET_WORDS_H
#define CLEW_TIME_PACKET_WORDS_H

#include <stdint.h>

#include "preload/hot/thread.h"

/* Of so many bytes, or 0: the packet is full. */
static inline uint64_t packet_claim(uint64_t bytes)
{
	const uint64_t place =
		__atomic_fetch_add(&hot.trace_next, bytes, __ATOMIC_RELAXED);

	return place + bytes <= hot.packet.end ? place : 0;
}

/* What was claimed last, but for the first so many bytes. */
static inline void packet_give_back(uint64_t place, uint64_t bytes,
				    uint64_t but)
{
	uint64_t behind = place + bytes;

	__atomic_compare_exchange_n(&hot.trace_next, &behind, place + but, 0,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#endif
