/* SPDX-License-Identifier: MIT */
/* See trace_limits.h. */
#include "preload/tracing/trace_limits.h"

#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/tracing/call_values.h"
#include "preload/tracing/packet_words.h"
#include "preload/tracing/trace_window.h"

#define CALL_BYTES (4)
#define TAIL_BYTES (4 * WIRE_PACKET_TAIL_WORDS)

uint32_t trace_site_words(void)
{
	return rt.config->keeps_sites ? WIRE_PACKET_SITE_WORDS : 0;
}

uint64_t trace_call_bytes(int is_tail)
{
	return (is_tail ? TAIL_BYTES : CALL_BYTES) + 4 * trace_site_words();
}

int trace_is_full(uint64_t bytes)
{
	bytes += call_values_room();
	return hot.trace_next + bytes > hot.packet.end;
}

void trace_set_limit(void)
{
	volatile struct hot_thread *const thread = &hot;
	uint64_t limit;

	do {
		limit = thread->packet.limit;
		thread->trace_limit = limit;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (limit != thread->packet.limit);
	if (!switch_is_on() || thread->packet.moved)
		thread->trace_limit = 0;
}

void trace_stop(void)
{
	if (hot.aside)
		*(volatile uint64_t *)&hot.aside->depth.deep = 0;
	*(volatile uint64_t *)&hot.trace_limit = 0;
}

void trace_renew_limit(void)
{
	if (hot.trace_limit || !rt.config->trace_depth)
		trace_set_limit();
}

void trace_plan_stamp(void)
{
	volatile struct hot_packet *const packet = &hot.packet;
	const uint64_t every = hot.aside->stamps.every;
	uint64_t end, last, next;

	do {
		end = packet->end;
		last = end -
		       /* room for the values of a probe at the last call */
		       call_values_room();
		next = hot.trace_next + trace_call_bytes(0) * (every - 1);
		packet->limit = every && next < last ? next : last;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (end != packet->end);
}

uint32_t *trace_claim_above(uint64_t base, uint64_t bytes)
{
	const volatile struct hot_packet *const packet = &hot.packet;
	const uint64_t place = packet_claim(bytes);

	if (!place || (!packet->moved && trace_window_base() == base))
		return (uint32_t *)place;
	packet_give_back(place, bytes, 0);
	return NULL;
}
