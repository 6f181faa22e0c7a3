/* SPDX-License-Identifier: MIT */
/* See table_copy.h. */
#include "preload/record/table_copy.h"

#include <stdatomic.h>

#include "preload/hot/sink.h"

/*
 * Adds the calls of an entry to the table `to`. If `to` has no entry with this
 * id, adds one with the countdown and the note. The search skips entries that
 * an interrupted slow path has claimed. Returns the index of the entry.
 */
static uint64_t put_count(struct mapping *to, const struct wire_count *entry,
			  union note note)
{
	uint64_t mask = (UINT64_C(1) << to->log2) - 1;
	const uint64_t id = entry->id;
	uint64_t i = wire_count_home(id, mask);

	while (to->table[i].id != id && to->table[i].id)
		i = (i + 1) & mask;
	if (to->table[i].id) {
		to->table[i].field += wire_calls(entry);
		return i;
	}
	to->table[i].field = entry->field;
	atomic_store_explicit(&to->table[i].id, id, memory_order_release);
	to->notes[i] = note;
	to->used++;
	return i;
}

static uint64_t mean_calls(const struct mapping *mapping)
{
	uint64_t entries = UINT64_C(1) << mapping->log2, sum = 0;

	for (uint64_t i = 0; i < entries; i++)
		sum += wire_calls(&mapping->table[i]);
	return sum / entries;
}

/*
 * Copies the entries that have at least `least` and fewer than `limit` calls.
 * One condition excludes empty entries and those with fewer calls: a separate
 * test for empty ones would often be mispredicted.
 */
static void copy_counts(const struct mapping *from, struct mapping *to,
			uint64_t least, uint64_t limit)
{
	uint64_t entries = UINT64_C(1) << from->log2;

	for (uint64_t i = 0; i < entries; i++) {
		const struct wire_count *entry = &from->table[i];
		const int is_one = wire_is_counted(entry);
		uint64_t at;

		if (!(is_one & (wire_calls(entry) - least < limit - least)))
			continue;
		at = put_count(to, entry, from->notes[i]);
		sink_add_entry(to->table, at, from->table, i);
	}
}

/* Copies the sink's data of entries that have no calls. */
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

/*
 * Entries whose count must stay get their former value again, so that the loop
 * needs no branch.
 */
void table_zero(const struct mapping *mapping)
{
	for (uint64_t i = 0; i < UINT64_C(1) << mapping->log2; i++) {
		struct wire_count *entry = &mapping->table[i];
		const int is_one = wire_is_counted(entry);

		entry->field &= (uint64_t)is_one - 1;
		if (rt.sink->zero_entry && is_one)
			sink_zero_entry(mapping->table, i);
	}
}
