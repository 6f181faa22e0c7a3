/* SPDX-License-Identifier: MIT */
/* See trace_context.h. */
#include "preload/tracing/trace_context.h"

#include <stddef.h>

#include "preload/host/config.h"
#include "preload/hot/layout.h"
#include "preload/hot/runtime.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/tracing/call_values.h"
#include "preload/tracing/packet_words.h"
#include "preload/tracing/surroundings.h"
#include "preload/tracing/trace_depth.h"
#include "preload/tracing/trace_window.h"
#include "wire/id.h"

#define CONTEXT_BYTES (4 * WIRE_PACKET_BEGIN_WORDS(WIRE_PACKET_FUNCTIONS))
#define SITES_BYTES   (4 * WIRE_PACKET_SITES_WORDS(WIRE_PACKET_FUNCTIONS))

uint64_t trace_context_bytes(void)
{
	return CONTEXT_BYTES + (rt.config->keeps_sites ? SITES_BYTES : 0);
}

/*
 * The words were stored at their position in a context of the greatest length.
 * Moves them to their position in this shorter context, and zeroes the rest of
 * the former position. Returns the new end of the words.
 */
static uint32_t *move_here(uint32_t *to, uint32_t *from, uint32_t words)
{
	uint32_t *const end = to + words;

	for (uint32_t i = 0; i < words; i++)
		to[i] = from[i];
	for (uint32_t i = 0; i < words; i++)
		if (from + i >= end)
			from[i] = 0;
	return end;
}

/*
 * Moves the words that follow the numbers of the context's functions. Returns
 * the end of the context.
 */
static uint32_t *finish(const struct surroundings_of *of, uint32_t count)
{
	uint32_t *end = move_here(of->functions + count, of->places, count);

	*end++ = WIRE_PACKET_BEGIN_END;
	if (!of->sites)
		return end;
	*end++ = wire_packet_odd(WIRE_PACKET_SITES,
				 WIRE_PACKET_SITES_WORDS(count));
	return move_here(end, of->sites, 2 * count);
}

static uint64_t behind(const struct stack_window *window, uint32_t place)
{
	return window->base + (place + UINT64_C(1)) * TRACE_SLOT_BYTES;
}

/*
 * Returns the end of the stack slots that the trace can denote by a place,
 * which is a slot's distance from the window's base. These are the slots in the
 * window, and further out those of the context's functions.
 */
static uint64_t placed_until(const struct stack_window *window,
			     const uint32_t *places, uint32_t count)
{
	uint64_t until = window->base + window->span;

	while (count && places[count - 1] == WIRE_PACKET_ELSEWHERE)
		count--;
	if (count) {
		const uint64_t last = behind(window, places[count - 1]);

		until = last > until ? last : until;
	}
	return until;
}

/*
 * Limits the window to the slots of which the context is certain. The function
 * that is next outside of the context may have its slot at any address, or on
 * another stack if a coroutine was switched unseen. A call further out than the
 * context may be made after that function has returned, so the window does not
 * contain such a call, and a new context is written for it.
 */
static void narrow(struct stack_window *window, const uint64_t *slot,
		   const struct surroundings *found, const uint32_t *places)
{
	const uint32_t last =
		found->count
			? places[found->count - 1]
			: trace_window_place(window->base, (uintptr_t)slot);
	const uint64_t until = behind(window, last);

	if (found->around == ID_ROOT || last == WIRE_PACKET_ELSEWHERE)
		return;
	if (until < window->base + window->span)
		window->span = until - window->base;
}

/*
 * Opens the window of a context that ends at `end`. If a signal handler has
 * written another context behind it meanwhile, with another window, a new
 * context is needed.
 */
static void settle(const struct stack_window *window, uint64_t until,
		   const uint32_t *end)
{
	hot.aside->placed_until = until;
	trace_window_open(window);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (*(volatile uint64_t *)&hot.trace_next != (uintptr_t)end)
		hot.packet.moved = 1;
}

/* Leaves out functions whose return a handler has interrupted. */
static struct surroundings find(const struct surroundings_of *of,
				const uint64_t *slot)
{
	struct surroundings found = surroundings_find(of, slot);

	if (found.leaving < found.count)
		surroundings_skip(&found, of);
	return found;
}

int trace_context_put(const uint64_t *slot, enum wire_packet_cause cause)
{
	const uint64_t claimed = trace_context_bytes();
	struct stack_window window = trace_window_around(slot);
	struct tally *tally = hot.tally;
	struct wire_packet_begin *begin;
	struct surroundings_of of;
	struct surroundings found;
	uint64_t until;
	uint32_t *end, place;

	/*
	 * From here on, the words of calls that stubs write follow this
	 * context.
	 */
	trace_window_close();
	begin = (void *)packet_claim(claimed);
	if (!begin)
		return 0;
	begin->head =
		wire_packet_odd(WIRE_PACKET_BEGIN, (uint32_t)(claimed / 4));
	hot.packet.moved = 0;
	hot.aside->context_slot = (uintptr_t)slot;
	/* The context contains no function that has returned. */
	hot.trace_left = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	begin->tid = tally->tid;
	packet_put_pair(begin->sequence, ++tally->packets.sequence);
	of = (struct surroundings_of){
		.functions = (uint32_t *)(begin + 1),
		.places = (uint32_t *)(begin + 1) + WIRE_PACKET_FUNCTIONS,
		.base = window.base,
		.sites = rt.config->keeps_sites
				 ? (uint32_t *)begin + CONTEXT_BYTES / 4 + 1
				 : NULL,
		.minds_signals = cause == WIRE_PACKET_FULL,
	};
	found = find(&of, slot);
	place = found.count ? of.places[0] : 0;
	narrow(&window, slot, &found, of.places);
	until = placed_until(&window, of.places, found.count);
	begin->cause = found.has_half_way ? WIRE_PACKET_MOVED : cause;
	packet_put_pair(begin->id, found.id);
	begin->functions = found.count;
	end = finish(&of, found.count);
	hot.aside->stamps.tsc = stamp_counter();
	packet_put_pair(begin->tsc, hot.aside->stamps.tsc);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	begin->head = wire_packet_odd(WIRE_PACKET_BEGIN,
				      WIRE_PACKET_BEGIN_WORDS(found.count));
	packet_give_back((uintptr_t)begin, claimed,
			 (uintptr_t)end - (uintptr_t)begin);
	if (rt.config->trace_depth)
		trace_depth_begin(&of, &found, &window);
	settle(&window, until, end);
	call_values_put_around(slot, window.base, place, found.leaving,
			       found.leaving_count);
	return 1;
}
