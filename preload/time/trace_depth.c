/* SPDX-License-Identifier: MIT */
#include "preload/time/trace_depth.h"

#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/time/surroundings.h"
#include "wire/packet.h"

static uint8_t level_now(void)
{
	return (uint8_t)(hot.trace_level >> WIRE_PACKET_LEVEL_SHIFT);
}

/* As far as levels tell, of a call that is running, or that is made. */
static uint32_t depth_at(uint8_t level)
{
	const struct hot_depth *last = &hot.aside->last;
	const uint8_t deeper = (uint8_t)(level - last->level);

	/* two: a handler's, before the word of whom it came in */
	if (deeper <= 2)
		return last->depth + deeper;
	return last->depth - (uint8_t)-deeper;
}

int trace_depth_leaves_out(const uint64_t *slot)
{
	static const struct surroundings_of nothing;
	struct hot_depth *last = &hot.aside->last;

	if (!hot.aside)
		return 0;
	if (!hot.trace_moved && hot.packet.has_depth) {
		last->depth = depth_at(level_now());
	} else {
		last->depth = surroundings_find(&nothing, slot).count + 1;
		hot.packet.has_depth = last->depth <= WIRE_PACKET_FUNCTIONS;
	}
	last->level = level_now();
	if (last->depth <= rt.config->trace_depth) {
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
