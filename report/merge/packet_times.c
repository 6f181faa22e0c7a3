/* SPDX-License-Identifier: MIT */
/* See packet_times.h. */
#include "report/merge/packet_times.h"

#include <stdlib.h>

#include "base/memory.h"

/*
 * Up to this number of ticks, the product of ticks and a position fits into 64
 * bits.
 */
#define FEW_TICKS (UINT64_C(1) << 40)

void packet_times_fini(struct packet_times *times)
{
	free(times->runs);
	*times = (struct packet_times){ 0 };
}

void packet_times_forget(struct packet_times *times)
{
	times->count = 0;
	times->tsc = 0;
}

void packet_times_begin(struct packet_times *times, uint32_t tally)
{
	packet_times_forget(times);
	times->calls = 0;
	times->tally = tally;
}

/*
 * Adds a run. Replaces the last run if it begins at the same position, and adds
 * nothing if the context is still the same.
 */
static void add_run(struct packet_times *times, const struct packet_run *run)
{
	struct packet_run *last =
		times->count > 0 ? &times->runs[times->count - 1] : NULL;

	if (last && last->id == run->id)
		return;
	if (last && last->from == run->from) {
		*last = *run;
		return;
	}
	times->runs = memory_grow(times->runs, times->count, &times->capacity,
				  sizeof(*times->runs));
	times->runs[times->count++] = *run;
}

void packet_times_call(struct packet_times *times, uint64_t id, size_t slot)
{
	add_run(times, &(struct packet_run){ .id = id,
					     .slot = slot,
					     .from = 2 * times->calls + 1 });
	times->calls++;
}

/*
 * Returns the position of an event: that of the last call for its time stamp,
 * that of the next call for a context, or the position between both.
 */
static uint32_t position_of(const struct packet_times *times,
			    enum packet_event event)
{
	const uint32_t between = 2 * times->calls;

	if (event == PACKET_MOMENT || event == PACKET_RETURN)
		return between;
	return event == PACKET_TIME && between ? between - 1 : between + 1;
}

void packet_times_run(struct packet_times *times, enum packet_event event,
		      uint64_t id)
{
	add_run(times, &(struct packet_run){
			       .id = id, .from = position_of(times, event) });
}

static void add_ticks(struct packet_times *times, struct packet_table *table,
		      const struct packet_run *run, uint64_t ticks)
{
	const struct packet_count *entry = &table->entries[run->slot];

	if (!run->id || !ticks)
		return;
	if (entry->id != run->id || entry->tally != times->tally)
		entry = packet_table_find(table, run->id, times->tally);
	if (!entry)
		return;
	table->entries[entry - table->entries].ticks += ticks;
	times->ticks += ticks;
}

static uint64_t part_of(uint64_t ticks, uint32_t part, uint32_t whole)
{
	return ticks < FEW_TICKS
		       ? ticks * part / whole
		       : (uint64_t)((unsigned __int128)ticks * part / whole);
}

/*
 * Distributes the time between two stamps to the runs, in proportion to their
 * lengths in positions. If both stamps have the same position, the first run
 * gets all of the time.
 */
static void share(struct packet_times *times, struct packet_table *table,
		  uint32_t until, uint64_t ticks)
{
	const struct packet_run *runs = times->runs;
	const uint32_t from = runs[0].from;
	uint64_t given = 0;

	for (size_t i = 0; i < times->count && given < ticks; i++) {
		const uint32_t end =
			i + 1 < times->count ? runs[i + 1].from : until;
		const uint64_t by_then =
			end < until ? part_of(ticks, end - from, until - from)
				    : ticks;

		add_ticks(times, table, &runs[i], by_then - given);
		given = by_then;
	}
}

void packet_times_stamp(struct packet_times *times, struct packet_table *table,
			enum packet_event event, uint64_t tsc)
{
	const uint32_t at = position_of(times, event);

	times->has_stamps |= event == PACKET_TIME || event == PACKET_RETURN;
	times->has_returns |= event == PACKET_RETURN;
	if (times->count > 0) {
		if (times->tsc && tsc > times->tsc)
			share(times, table, at, tsc - times->tsc);
		times->runs[0] = times->runs[times->count - 1];
		times->runs[0].from = at;
		times->count = 1;
	}
	times->tsc = tsc;
}
