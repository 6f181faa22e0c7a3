/* SPDX-License-Identifier: MIT */
#include "preload/record/table_copy.h"

#include "preload/hot/sink.h"

/*
 * Add the calls of an entry; a new one keeps its countdown too. Not where an
 * interrupted slow path has claimed a place for another.
 */
static uint64_t put_count(struct mapping *to, const struct wire_count *entry,
			  union note note)
{
	uint64_t mask = (UINT64_C(1) << to->log2) - 1;
	uint64_t i = entry->id >> 4 & mask;

	while (to->table[i].id != entry->id && to->table[i].id)
		i = (i + 1) & mask;
	if (to->table[i].id)
		to->table[i].field += wire_calls(entry);
	else
		to->table[i].field = entry->field;
	to->table[i].id = entry->id;
	to->notes[i] = note;
	return i;
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

		if (!wire_is_counted(entry) || calls < least || calls >= limit)
			continue;
		at = put_count(to, entry, from->notes[i]);
		sink_add_entry(to->table, at, from->table, i);
	}
}

/* What the sink has of entries without new calls. */
static void copy_rest(const struct mapping *from, struct mapping *to)
{
	uint64_t entries = UINT64_C(1) << from->log2;

	for (uint64_t i = 0; i < entries; i++) {
		const struct wire_count *entry = &from->table[i];

		if (wire_is_counted(entry) && !wire_calls(entry) &&
		    sink_has_entry(from->table, i))
			sink_add_entry(to->table,
				       put_count(to, entry, from->notes[i]),
				       from->table, i);
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
	if (rt.sink->entry_bytes)
		copy_rest(from, to);
}

void table_zero(const struct mapping *mapping)
{
	for (uint64_t i = 0; i < UINT64_C(1) << mapping->log2; i++) {
		if (!wire_is_counted(&mapping->table[i]))
			continue;
		mapping->table[i].field = 0;
		sink_zero_entry(mapping->table, i);
	}
}

uint64_t table_count_used(const struct mapping *mapping)
{
	uint64_t used = 0;

	for (uint64_t i = 0; i < UINT64_C(1) << mapping->log2; i++)
		used += mapping->table[i].id != 0;
	return used;
}
