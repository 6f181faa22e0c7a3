/* SPDX-License-Identifier: MIT */
/* Places in a thread's packet: what traced.c says of claims. */
#ifndef CLEW_TIME_PACKET_WORDS_H
#define CLEW_TIME_PACKET_WORDS_H

#include <stdint.h>

#include "preload/hot/own_word.h"
#include "preload/hot/thread.h"

/* Of so many bytes, or 0: the packet is full. */
static inline uint64_t packet_claim(uint64_t bytes)
{
	const uint64_t place = own_fetch_add(&hot.trace_next, bytes);

	return place + bytes <= hot.packet.end ? place : 0;
}

/* What was claimed last, but for the first so many bytes. */
static inline void packet_give_back(uint64_t place, uint64_t bytes,
				    uint64_t but)
{
	own_change(&hot.trace_next, place + bytes, place + but);
}

#endif
