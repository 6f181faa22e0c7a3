/* SPDX-License-Identifier: MIT */
#include "preload/record/table_copy.h"

#include "preload/hot/runtime.h"
#include "preload/hot/timing.h"

/*
 * Add the calls of an entry; a new one keeps its countdown too. Not where an
 * interrupted slow path has claimed a place for another.
 */
static uint64_t put_count(struct mapping *to, const struct wire_count *entry,
			  union note note)
{
	uint64_t mask = (UINT64_C(1) << to->log2) - 1;
	uint64_t i = entry->id >> 4 & mask;

	while (to->table[i].id != entry->id &&
	       (to->table[i].id || to->notes[i].word))
		i = (i + 1) & mask;
	if (to->table[i].id)
		to->table[i].field += wire_calls(entry);
	else
		to->table[i].field = entry->field;
	to->table[i].id = entry->id;
	to->notes[i] = note;
	return i;
}

static int has_times(const struct wire_times *times)
{
	return times->ended || times->self || times->latest;
}

static void put_times(struct wire_times *to, const struct wire_times *from)
{
	wire_times_add(to, from);
	if (!to->histogram)
		to->histogram = from->histogram;
	if (!to->latest)
		to->latest = from->latest;
	else if (from->latest)
		((uint64_t *)to->histogram)[wire_bin(from->latest)]++;
}

static uint64_t mean_calls(const struct mapping *mapping)
{
	uint64_t entries = UINT64_C(1) << mapping->log2, sum = 0;

	for (uint64_t i = 0; i < entries; i++)
		sum += wire_calls(&mapping->table[i]);
	return sum / entries;
}

/* Add the counts of entries with at least `least` and less than `limit`. */
static void copy_counts(const struct mapping *from, struct mapping *to,
			uint64_t least, uint64_t limit)
{
	uint64_t entries = UINT64_C(1) << from->log2;

	for (uint64_t i = 0; i < entries; i++) {
		const struct wire_count *entry = &from->table[i];
		uint64_t calls = wire_calls(entry), at;

		if (!entry->id || calls < least || calls >= limit)
			continue;
		at = put_count(to, entry, from->notes[i]);
		if (rt.is_timed)
			put_times(times_of(to->table, at),
				  times_of(from->table, i));
	}
}

/* The calls that have ended, of entries without new ones. */
static void copy_left_times(const struct mapping *from, struct mapping *to)
{
	uint64_t entries = UINT64_C(1) << from->log2;

	for (uint64_t i = 0; i < entries; i++) {
		const struct wire_count *entry = &from->table[i];
		const struct wire_times *times = times_of(from->table, i);

		if (entry->id && !wire_calls(entry) && has_times(times))
			put_times(
				times_of(to->table,
					 put_count(to, entry, from->notes[i])),
				times);
	}
}

void table_copy(const struct mapping *from, struct mapping *to)
{
	uint64_t mean = mean_calls(from) + 1;

	copy_counts(from, to, 16 * mean, UINT64_MAX);
	copy_counts(from, to, mean, 16 * mean);
	copy_counts(from, to, 0, mean);
}

void table_add_late(const struct mapping *from, struct mapping *to)
{
	copy_counts(from, to, 1, UINT64_MAX);
	if (rt.is_timed)
		copy_left_times(from, to);
}

/* An interrupted stub that has looked at the rest may still use it. */
static void zero_times(struct wire_times *times)
{
	times->ended = times->total = times->self = times->clamped = 0;
	times->latest = 0;
}

void table_zero(const struct mapping *mapping)
{
	for (uint64_t i = 0; i < UINT64_C(1) << mapping->log2; i++) {
		if (!mapping->table[i].id)
			continue;
		mapping->table[i].field = 0;
		if (rt.is_timed)
			zero_times(times_of(mapping->table, i));
	}
}

uint64_t table_count_used(const struct mapping *mapping)
{
	uint64_t used = 0;

	for (uint64_t i = 0; i < UINT64_C(1) << mapping->log2; i++)
		used += mapping->table[i].id != 0;
	return used;
}
