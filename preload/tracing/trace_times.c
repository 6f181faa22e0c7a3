/* SPDX-License-Identifier: MIT */
/* See trace_times.h. */
#include "preload/tracing/trace_times.h"

#include <stdatomic.h>

#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/switch.h"
#include "preload/record/recorder.h"
#include "preload/tracing/packet_words.h"
#include "preload/tracing/trace_limits.h"
#include "preload/tracing/trace_pace.h"
#include "preload/tracing/trace_window.h"

#define MOMENT_BYTES (4 * WIRE_PACKET_MOMENT_WORDS)
#define RETURN_BYTES (4 * WIRE_PACKET_RETURN_WORDS)

void trace_put_stamp(void)
{
	uint32_t *words = (uint32_t *)packet_claim(TRACE_STAMP_BYTES);
	const uint64_t tsc = stamp_counter();

	if (!words)
		return;
	words[0] = wire_packet_odd(WIRE_PACKET_STAMP, WIRE_PACKET_STAMP_WORDS);
	packet_put_pair(words + 1, tsc);
	trace_pace_step(tsc);
	trace_plan_stamp();
}

int trace_is_in_step(void)
{
	return switch_is_on() && hot.packet.end && !hot.packet.moved;
}

void trace_put_moment(void)
{
	uint32_t *words = trace_is_in_step()
				  ? (uint32_t *)packet_claim(MOMENT_BYTES)
				  : NULL;

	if (!words)
		return;
	words[0] =
		wire_packet_odd(WIRE_PACKET_MOMENT, WIRE_PACKET_MOMENT_WORDS);
	packet_put_pair(words + 1, stamp_counter());
}

/*
 * Returns whether this word, which precedes a call's word, marks the call as a
 * tail call.
 */
static int is_tail_word(uint32_t word)
{
	return word == TRACE_TAIL_WORD || word == TRACE_TAIL_BELOW_WORD ||
	       word == TRACE_TAIL_OUT_WORD;
}

/*
 * Removes the words of the call at a slot, which has returned, if only the
 * call's stamp follows and the call took less than least_ticks. If a signal
 * handler writes words meanwhile, they remain, and zeroed words precede them.
 * Sets *is_tail to whether the call was a tail call. Returns whether the words
 * were removed.
 */
static int take_call_back(const uint64_t *slot, uint64_t tsc, int *is_tail)
{
	const uint32_t stamp =
		wire_packet_odd(WIRE_PACKET_STAMP, WIRE_PACKET_STAMP_WORDS);
	uint32_t *end = (uint32_t *)hot.trace_next;
	uint32_t *call = end - WIRE_PACKET_STAMP_WORDS - trace_site_words() - 1;
	uint64_t begun;

	/*
	 * More words were claimed than the packet has, so the packet is full.
	 */
	if ((uintptr_t)end > hot.packet.end)
		return 0;
	if (end[-3] != stamp ||
	    (rt.config->keeps_sites && call[1] != TRACE_SITE_WORD) ||
	    !trace_window_has(slot) ||
	    *call >> WIRE_PACKET_PLACE_SHIFT !=
		    trace_window_place(trace_window_base(), (uintptr_t)slot) ||
	    (*call & WIRE_PACKET_INDEX) >= WIRE_PACKET_ODD)
		return 0;
	__builtin_memcpy(&begun, end - 2, sizeof(begun));
	if (tsc - begun >= rt.recorder->trace.least_ticks)
		return 0;
	*call = 0;
	packet_put_pair(end - 2,
			/*
			 * Readers ignore a stamp of 0. When its header is
			 * zeroed next, both halves of the stamp are 0 and do
			 * not look like calls.
			 */
			0);
	end[-3] = 0;
	if (rt.config->keeps_sites) {
		/* readers ignore a call site of 0 */
		packet_put_pair(call + 2, 0);
		call[1] = 0;
	}
	*is_tail = is_tail_word(call[-1]);
	if (*is_tail)
		*--call = 0;
	packet_give_back((uintptr_t)call,
			 trace_call_bytes(*is_tail) + TRACE_STAMP_BYTES, 0);
	atomic_fetch_add_explicit(&rt.recorder->trace.blocks->taken_back, 1,
				  memory_order_relaxed);
	return 1;
}

/*
 * Removes the words of all functions that share the slot. Returns 0 if the
 * words of some functions remain, so that their return has to be written.
 */
static int take_back(const uint64_t *slot, uint64_t tsc)
{
	int is_tail = 1, taken = 0;

	while (is_tail && take_call_back(slot, tsc, &is_tail))
		taken = 1;
	if (taken) {
		trace_plan_stamp();
		trace_renew_limit();
	}
	return taken && !is_tail;
}

void trace_put_return(const uint64_t *slot, uint64_t tsc)
{
	const uint64_t base = trace_window_base();
	const uint64_t until =
		*(const volatile uint64_t *)&hot.aside->placed_until;
	const int is_placed =
		(uintptr_t)slot >= base && (uintptr_t)slot < until;
	uint32_t *words;

	if (rt.recorder->trace.least_ticks && take_back(slot, tsc))
		return;
	words = trace_claim_above(base, RETURN_BYTES);
	/*
	 * A call outside of the window is described by a context, or not at
	 * all.
	 */
	if (!words) {
		hot.packet.moved |= !is_placed;
		return;
	}
	words[0] =
		wire_packet_odd(WIRE_PACKET_RETURN, WIRE_PACKET_RETURN_WORDS);
	words[1] = is_placed ? trace_window_place(base, (uintptr_t)slot)
			     : WIRE_PACKET_ELSEWHERE;
	packet_put_pair(words + 2, tsc);
}
