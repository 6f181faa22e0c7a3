/* SPDX-License-Identifier: MIT */
/* See packet_table.h. */
#include "report/merge/packet_table.h"

#include <stdlib.h>

#include "base/memory.h"

enum { TABLE_LOG2 = 12 };

static size_t home_of(const struct packet_table *table, uint64_t id,
		      uint32_t tally)
{
	const uint64_t key = id ^ tally * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(key * UINT64_C(0xd1342543de82ef95) >>
			(64 - table->log2));
}

static struct packet_count *look(const struct packet_table *table, uint64_t id,
				 uint32_t tally)
{
	const size_t mask = ((size_t)1 << table->log2) - 1;
	size_t i = home_of(table, id, tally);

	while (table->entries[i].id &&
	       (table->entries[i].id != id || table->entries[i].tally != tally))
		i = (i + 1) & mask;
	return &table->entries[i];
}

static void init(struct packet_table *table, unsigned int log2)
{
	*table = (struct packet_table){ .log2 = log2 };
	table->entries =
		memory_zeroed((size_t)1 << log2, sizeof(*table->entries));
}

static void grow_to(struct packet_table *table, unsigned int log2)
{
	struct packet_table grown;

	init(&grown, log2);
	grown.used = table->used;
	for (size_t i = 0; i < (size_t)1 << table->log2; i++) {
		const struct packet_count *entry = &table->entries[i];

		if (entry->id)
			*look(&grown, entry->id, entry->tally) = *entry;
	}
	free(table->entries);
	*table = grown;
}

void packet_table_init(struct packet_table *table)
{
	init(table, TABLE_LOG2);
}

void packet_table_fini(struct packet_table *table)
{
	free(table->entries);
	*table = (struct packet_table){ 0 };
}

struct packet_count *packet_table_enter(struct packet_table *table, uint64_t id,
					uint32_t tally, uint32_t function)
{
	struct packet_count *entry = look(table, id, tally);

	if (entry->id)
		return entry;
	if (4 * table->used >= (size_t)3 << table->log2) {
		grow_to(table, table->log2 + 1);
		entry = look(table, id, tally);
	}
	table->used++;
	*entry = (struct packet_count){ .id = id,
					.tally = tally,
					.function = function };
	return entry;
}

const struct packet_count *packet_table_find(const struct packet_table *table,
					     uint64_t id, uint32_t tally)
{
	const struct packet_count *entry = look(table, id, tally);

	return entry->id ? entry : NULL;
}

void packet_table_add(struct packet_table *table,
		      const struct packet_count *more)
{
	struct packet_count *entry = packet_table_enter(
		table, more->id, more->tally, more->function);

	entry->calls += more->calls;
	entry->tails += more->tails;
	entry->ticks += more->ticks;
}

void packet_table_reserve(struct packet_table *table, size_t count)
{
	unsigned int log2 = table->log2;

	while (4 * count > (size_t)3 << log2)
		log2++;
	if (log2 > table->log2)
		grow_to(table, log2);
}

void packet_table_add_all(struct packet_table *to,
			  const struct packet_table *from)
{
	packet_table_reserve(to, from->used);
	for (size_t i = 0; i < (size_t)1 << from->log2; i++)
		if (from->entries[i].id)
			packet_table_add(to, &from->entries[i]);
}
