/* SPDX-License-Identifier: MIT */
/* Which functions a call is made in, as the thread's stack says: for a trace's contexts. */
#ifndef CLEW_TIME_SURROUNDINGS_H
#define CLEW_TIME_SURROUNDINGS_H

#include <stdint.h>

struct surroundings {
	uint64_t id;        /* of the innermost function */
	uint32_t count;     /* of functions */
	uint8_t is_whole;   /* there is nothing around them */
	uint8_t is_handler; /* a signal has come on the way */
};

/*
 * Without the function that is entered at the slot, where the walk begins, and at most
 * WIRE_PACKET_FUNCTIONS. Their numbers, the innermost first; `words` may be NULL: they are
 * counted only.
 */
struct surroundings surroundings_find(uint32_t *words, const uint64_t *slot);

void surroundings_leave_out_innermost(struct surroundings *found,
				      uint32_t *words);

#endif
