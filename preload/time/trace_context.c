/* SPDX-License-Identifier: MIT */
#include "preload/time/trace_context.h"

#include <stddef.h>

#include "preload/host/config.h"
#include "preload/hot/layout.h"
#include "preload/hot/runtime.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/time/call_values.h"
#include "preload/time/packet_words.h"
#include "preload/time/surroundings.h"

#define CONTEXT_BYTES (4 * WIRE_PACKET_BEGIN_WORDS(WIRE_PACKET_FUNCTIONS))
#define SITES_BYTES   (4 * WIRE_PACKET_SITES_WORDS(WIRE_PACKET_FUNCTIONS))

uint64_t trace_context_bytes(void)
{
	return CONTEXT_BYTES + (rt.config->keeps_sites ? SITES_BYTES : 0);
}

/*
 * Whether some function has stepped the id and not yet the level, or taken back the
 * level and not yet the id: a handler has interrupted its stub, and calls. What
 * depth a level stands for is known from the context before, unless the stack is
 * another one since (`why`, what was in trace_moved).
 */
static int is_out_of_step(const struct surroundings *found, uint8_t level,
			  uint32_t why)
{
	const uint8_t over =
		(uint8_t)(found->count - (uint8_t)(hot.packet.base + level));

	if (!hot.packet.has_base || hot.packet.around != found->around ||
	    !found->count)
		return 0;
	if (why & ~TRACE_LEVEL_AGAIN && !found->is_handler)
		return 0;
	return over == 1 || (why & TRACE_LEVEL_AGAIN && over == 129);
}

/*
 * From farther behind, where there may be those of one more; returns where they end. Behind
 * that all is 0 again.
 */
static uint32_t *put_sites(uint32_t *at, uint32_t *sites, uint32_t count)
{
	const uint32_t words = WIRE_PACKET_SITES_WORDS(count);
	uint32_t *behind = sites + 2 * (count + 1);

	*at = wire_packet_odd(WIRE_PACKET_SITES, words);
	for (uint32_t i = 0; i < 2 * count; i++)
		at[1 + i] = sites[i];
	while (behind > at + words)
		*--behind = 0;
	return at + words;
}

int trace_context_put(const uint64_t *slot, enum wire_packet_cause cause)
{
	const uint64_t claimed = trace_context_bytes();
	struct wire_packet_begin *begin = (void *)packet_claim(claimed);
	const uint32_t why = cause == WIRE_PACKET_FULL ? 0 : hot.trace_moved;
	const struct surroundings_of of = {
		.functions = (uint32_t *)(begin + 1),
		.sites = rt.config->keeps_sites
				 ? (uint32_t *)begin + CONTEXT_BYTES / 4 + 1
				 : NULL,
		.minds_signals = !why || why & TRACE_LEVEL_AGAIN,
	};
	struct tally *tally = hot.tally;
	struct surroundings found;
	uint32_t left_out = SURROUNDINGS_NONE, level, *end;

	if (!begin)
		return 0;
	begin->head =
		wire_packet_odd(WIRE_PACKET_BEGIN, (uint32_t)(claimed / 4));
	hot.trace_moved = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	level = trace_level_now();
	begin->level = (uint8_t)((level >> WIRE_PACKET_LEVEL_SHIFT) - 1);
	begin->cause = (uint8_t)cause;
	begin->tid = tally->tid;
	packet_put_pair(begin->sequence, ++tally->packets.sequence);
	found = surroundings_find(&of, slot);
	if (is_out_of_step(&found, begin->level, why)) {
		left_out = found.half_way < found.count ? found.half_way : 0;
		surroundings_leave_out(&found, &of, left_out);
	} else if (found.half_way != SURROUNDINGS_NONE) {
		begin->cause = WIRE_PACKET_MOVED;
	}
	if (why & TRACE_LEVEL_AGAIN && found.half_way != SURROUNDINGS_NONE)
		hot.packet.settled_from = found.handlers_until;
	hot.packet.base = (uint8_t)(found.count - begin->level);
	hot.packet.around = found.around;
	hot.packet.has_base = trace_level_now() == level;
	packet_put_pair(begin->id, found.id);
	begin->functions = found.count;
	of.functions[found.count] = WIRE_PACKET_BEGIN_END;
	end = of.functions + found.count + 1;
	if (of.sites)
		end = put_sites(end, of.sites, found.count);
	hot.aside->stamps.tsc = stamp_counter();
	packet_put_pair(begin->tsc, hot.aside->stamps.tsc);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	begin->head = wire_packet_odd(WIRE_PACKET_BEGIN,
				      WIRE_PACKET_BEGIN_WORDS(found.count));
	packet_give_back((uintptr_t)begin, claimed,
			 (uintptr_t)end - (uintptr_t)begin);
	call_values_put_around(slot, begin->level, left_out);
	return 1;
}
