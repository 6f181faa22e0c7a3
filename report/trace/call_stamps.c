/* SPDX-License-Identifier: MIT */
#include "report/trace/call_stamps.h"

#include <stdlib.h>

#include "base/memory.h"

static void add(struct call_stamps *stamps, uint32_t call, uint64_t tsc)
{
	stamps->items = memory_grow(stamps->items, stamps->count,
				    &stamps->capacity, sizeof(*stamps->items));
	stamps->items[stamps->count++] =
		(struct call_stamp){ .call = call, .tsc = tsc };
}

/* A context is written before the call that is made in it, a stamp behind a call. */
void call_stamps_read(struct call_stamps *stamps, const uint32_t *words,
		      size_t count, const struct packet_blocks *blocks,
		      const struct trace_packet *next)
{
	struct packet_cursor cursor;
	enum packet_event event;
	uint32_t calls = 0;

	stamps->count = stamps->at = 0;
	packet_begin(&cursor, words, count, blocks);
	while ((event = packet_next(&cursor)) != PACKET_END) {
		if (event == PACKET_CALL)
			calls++;
		else if (event == PACKET_TIME && calls > 0)
			add(stamps, calls - 1, cursor.tsc);
		else
			add(stamps, calls, cursor.tsc);
	}
	if (next && next->sequence == cursor.context.sequence + 1 &&
	    next->tsc >= cursor.tsc)
		add(stamps, calls, next->tsc);
}

void call_stamps_fini(struct call_stamps *stamps)
{
	free(stamps->items);
	*stamps = (struct call_stamps){ 0 };
}

static uint64_t between(const struct call_stamp *before,
			const struct call_stamp *behind, uint32_t call)
{
	const uint64_t ticks = behind->tsc - before->tsc;

	return before->tsc +
	       (uint64_t)((unsigned __int128)ticks * (call - before->call) /
			  (behind->call - before->call));
}

uint64_t call_stamps_tsc(struct call_stamps *stamps, uint32_t call,
			 enum call_clock *clock)
{
	const struct call_stamp *items = stamps->items;

	while (stamps->at < stamps->count && items[stamps->at].call < call)
		stamps->at++;
	if (stamps->at == stamps->count) {
		*clock = CLOCK_NOT_BEFORE;
		return stamps->count ? items[stamps->count - 1].tsc : 0;
	}
	*clock = items[stamps->at].call == call ? CLOCK_STAMPED
						: CLOCK_INTERPOLATED;
	if (items[stamps->at].call == call || stamps->at == 0)
		return items[stamps->at].tsc;
	return between(&items[stamps->at - 1], &items[stamps->at], call);
}
