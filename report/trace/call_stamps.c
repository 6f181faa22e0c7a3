/* SPDX-License-Identifier: MIT */
/* See call_stamps.h. */
#include "report/trace/call_stamps.h"

#include <stdlib.h>

#include "base/memory.h"

static uint64_t place_of(uint64_t call)
{
	return 2 * call + 1;
}

static void add(struct call_stamps *stamps, uint64_t place, uint64_t tsc)
{
	if (stamps->count && place < stamps->items[stamps->count - 1].place)
		/*
		 * the words of a signal handler, between a context and its call
		 */
		return;
	stamps->items = memory_grow(stamps->items, stamps->count,
				    &stamps->capacity, sizeof(*stamps->items));
	stamps->items[stamps->count++] =
		(struct call_stamp){ .place = place, .tsc = tsc };
}

/*
 * Reads the stamps of a packet. A context precedes the call that is made in it,
 * and a stamp follows its call.
 */
void call_stamps_read(struct call_stamps *stamps, const uint32_t *words,
		      size_t count, const struct packet_blocks *blocks,
		      const struct trace_packet *next)
{
	struct packet_cursor cursor;
	enum packet_event event;
	uint64_t calls = 0;

	stamps->count = stamps->at = 0;
	packet_begin(&cursor, words, count, blocks);
	while ((event = packet_next(&cursor)) != PACKET_END) {
		if (event == PACKET_CALL)
			calls++;
		else if (event == PACKET_MOMENT || event == PACKET_RETURN)
			add(stamps, 2 * calls, cursor.tsc);
		else if (event == PACKET_TIME && calls > 0)
			add(stamps, place_of(calls - 1), cursor.tsc);
		else if (event != PACKET_VALUE) /* values have no time */
			add(stamps, place_of(calls), cursor.tsc);
	}
	if (next && next->sequence == cursor.context.sequence + 1 &&
	    next->tsc >= cursor.tsc)
		add(stamps, place_of(calls), next->tsc);
}

void call_stamps_fini(struct call_stamps *stamps)
{
	free(stamps->items);
	*stamps = (struct call_stamps){ 0 };
}

static uint64_t between(const struct call_stamp *before,
			const struct call_stamp *behind, uint64_t place)
{
	const uint64_t ticks = behind->tsc - before->tsc;

	return before->tsc +
	       (uint64_t)((unsigned __int128)ticks * (place - before->place) /
			  (behind->place - before->place));
}

uint64_t call_stamps_tsc(struct call_stamps *stamps, uint32_t call,
			 enum call_clock *clock)
{
	const struct call_stamp *items = stamps->items;
	const uint64_t place = place_of(call);

	while (stamps->at < stamps->count && items[stamps->at].place < place)
		stamps->at++;
	if (stamps->at == stamps->count) {
		*clock = CLOCK_NOT_BEFORE;
		return stamps->count ? items[stamps->count - 1].tsc : 0;
	}
	*clock = items[stamps->at].place == place ? CLOCK_STAMPED
						  : CLOCK_INTERPOLATED;
	if (items[stamps->at].place == place || stamps->at == 0)
		return items[stamps->at].tsc;
	return between(&items[stamps->at - 1], &items[stamps->at], place);
}
