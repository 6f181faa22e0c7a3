/* SPDX-License-Identifier: MIT */
#include "preload/time/trace_depth.h"

#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/time/packet_words.h"
#include "preload/time/surroundings.h"
#include "wire/packet.h"

#define LEVEL_BITS 8
#define TRIES                                                                  \
	2 /* a handler that comes again and again has its calls looked for */

static uint8_t level_now(void)
{
	return (uint8_t)(trace_level_now() >> WIRE_PACKET_LEVEL_SHIFT);
}

/* As far as levels tell, of a call that is running, or that is made. */
static uint32_t depth_at(uint8_t level)
{
	const uint64_t last = hot.aside->last.at;
	const uint32_t depth = (uint32_t)(last >> LEVEL_BITS);
	const uint8_t deeper = (uint8_t)(level - (uint8_t)last);

	/* two: a handler's, before the word of whom it came in */
	if (deeper <= 2)
		return depth + deeper;
	return depth - (uint8_t)-deeper;
}

/*
 * As the stack says. What is half way need not be counted by the level, so then it is asked
 * again at the next call.
 */
static uint32_t depth_of(const uint64_t *slot)
{
	static const struct surroundings_of of = { .minds_signals = 1 };
	const struct surroundings found = surroundings_find(&of, slot);

	hot.packet.has_depth = found.count < WIRE_PACKET_FUNCTIONS &&
			       found.half_way == SURROUNDINGS_NONE;
	return found.count + 1;
}

/*
 * Of the call that is made at the slot. Level and depth are stored as one: a handler goes on
 * from there, and if levels have begun anew within one, these do not belong together.
 */
static uint32_t note_depth(const uint64_t *slot)
{
	uint32_t depth = 0;

	for (int i = 0; i < TRIES; i++) {
		const uint8_t level = level_now();

		depth = !hot.trace_moved && hot.packet.has_depth
				? depth_at(level)
				: depth_of(slot);
		*(volatile uint64_t *)&hot.aside->last.at =
			(uint64_t)depth << LEVEL_BITS | level;
		if (level_now() == level)
			break;
		hot.packet.has_depth = 0;
	}
	return depth;
}

int trace_depth_leaves_out(const uint64_t *slot)
{
	struct hot_depth *last;

	if (!hot.aside)
		return 0;
	last = &hot.aside->last;
	if (note_depth(slot) <= rt.config->trace_depth) {
		hot.trace_moved |= last->owes_context;
		last->owes_context = 0;
		return 0;
	}
	last->owes_context |= hot.trace_moved;
	hot.trace_moved = 0;
	return 1;
}

int trace_depth_has_left_out(void)
{
	return !hot.packet.has_depth ||
	       depth_at(level_now()) > rt.config->trace_depth;
}
