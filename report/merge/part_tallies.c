/* SPDX-License-Identifier: MIT */
/* See part_tallies.h. */
#include "report/merge/part_tallies.h"

#include <stdlib.h>

#include "base/idmap.h"
#include "base/memory.h"

static void add_tally(struct part_tallies *tallies,
		      const struct part_chunk *chunk)
{
	tallies->items =
		memory_grow(tallies->items, tallies->count, &tallies->capacity,
			    sizeof(*tallies->items));
	tallies->items[tallies->count++] = (struct part_tally){
		.number = chunk->owner,
		.head = (const void *)chunk->payload,
	};
}

static void add_contexts(struct part_tallies *tallies, uint32_t tally,
			 const unsigned char *start, size_t bytes)
{
	tallies->contexts = memory_grow(
		tallies->contexts, tallies->context_spans,
		&tallies->context_capacity, sizeof(*tallies->contexts));
	tallies->contexts[tallies->context_spans++] = (struct context_span){
		.tally = tally,
		.items = (const void *)start,
		.count = bytes / sizeof(struct wire_context),
	};
}

static void add_tally_contexts(struct part_tallies *tallies,
			       const struct part_chunk *chunk)
{
	size_t head = sizeof(struct wire_tally);
	size_t stop = WIRE_TALLY_TABLE_OFFSET - sizeof(struct wire_chunk);

	if (stop > chunk->payload_bytes)
		stop = chunk->payload_bytes;
	add_contexts(tallies, chunk->owner, chunk->payload + head, stop - head);
}

/*
 * Adds as much of the count table to which `ref` refers as lies in this chunk.
 */
static void add_table(struct part_tallies *tallies,
		      const struct part_chunk *chunk, uint64_t ref,
		      int is_timed)
{
	uint64_t payload_offset = chunk->offset + sizeof(struct wire_chunk);
	uint64_t offset = wire_table_offset(ref);
	size_t here, wanted = (size_t)1 << wire_table_log2(ref);

	if (offset < payload_offset ||
	    offset - payload_offset >= chunk->payload_bytes)
		return;
	offset -= payload_offset;
	here = (chunk->payload_bytes - offset) / sizeof(struct wire_count);
	if (here > wanted)
		here = wanted;
	/* Times that begin before the chunk are invalid. */
	if (offset / sizeof(struct wire_times) < here)
		is_timed = 0;
	tallies->counts =
		memory_grow(tallies->counts, tallies->count_spans,
			    &tallies->count_capacity, sizeof(*tallies->counts));
	tallies->counts[tallies->count_spans++] = (struct count_span){
		.tally = chunk->owner,
		.items = (const void *)(chunk->payload + offset),
		.count = here,
		.times = is_timed ? (const struct wire_times *)(chunk->payload +
								offset) -
					    1
				  : NULL,
	};
}

static void add_tables(struct part_tallies *tallies,
		       const struct part_chunk *chunk,
		       const struct wire_tally *head, int is_timed)
{
	uint64_t table = head->table, retired = head->retired;

	add_table(tallies, chunk, table, is_timed);
	if (wire_table_offset(retired) != wire_table_offset(table))
		add_table(tallies, chunk, retired, is_timed);
}

/*
 * Finds the tallies and contexts of a part, and fills `heads`, which maps a
 * tally's number + 1 to its index.
 */
static void find_tallies(struct part_tallies *tallies,
			 const struct part_copy *part, struct idmap *heads)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk)) {
		uint64_t key = (uint64_t)chunk.owner + 1;

		if (chunk.kind == WIRE_CONTEXTS)
			add_contexts(tallies, chunk.owner, chunk.payload,
				     chunk.payload_bytes);
		if (chunk.kind != WIRE_TALLY || idmap_find(heads, key) ||
		    chunk.payload_bytes < sizeof(struct wire_tally))
			continue;
		*idmap_at(heads, key) = tallies->count;
		add_tally(tallies, &chunk);
		add_tally_contexts(tallies, &chunk);
	}
}

static void find_tables(struct part_tallies *tallies,
			const struct part_copy *part, const struct idmap *heads)
{
	const int is_timed = part->header->time == WIRE_TIME_EXACT;
	struct part_chunk chunk;
	uint64_t cursor = 0;
	const uint64_t *index;

	while (part_next_chunk(part, &cursor, &chunk)) {
		if (chunk.kind != WIRE_TALLY && chunk.kind != WIRE_TABLE)
			continue;
		index = idmap_find(heads, (uint64_t)chunk.owner + 1);
		if (index)
			add_tables(tallies, &chunk, tallies->items[*index].head,
				   is_timed);
	}
}

void part_tallies_init(struct part_tallies *tallies,
		       const struct part_copy *part)
{
	struct idmap heads = { 0 };

	*tallies = (struct part_tallies){ 0 };
	find_tallies(tallies, part, &heads);
	find_tables(tallies, part, &heads);
	idmap_fini(&heads);
}

void part_tallies_add(struct part_tallies *tallies, uint32_t tally,
		      const struct wire_context *contexts,
		      const struct count_span *counts)
{
	struct count_span *added;

	add_contexts(tallies, tally, (const void *)contexts,
		     counts->count * sizeof(*contexts));
	tallies->counts =
		memory_grow(tallies->counts, tallies->count_spans,
			    &tallies->count_capacity, sizeof(*tallies->counts));
	added = &tallies->counts[tallies->count_spans++];
	*added = *counts;
	added->tally = tally;
}

void part_tallies_fini(struct part_tallies *tallies)
{
	free(tallies->items);
	free(tallies->contexts);
	free(tallies->counts);
	*tallies = (struct part_tallies){ 0 };
}
