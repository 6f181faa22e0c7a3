/* SPDX-License-Identifier: MIT */
/* See packed_layout.h. */
#include "report/recording/packed_layout.h"

#include <stdlib.h>

#include "base/memory.h"

static void collect(struct packed_layout *layout, const struct part_copy *part)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk)) {
		if (chunk.offset >= part->size_bytes)
			return;
		if (chunk.payload_bytes + sizeof(struct wire_chunk) !=
			    chunk.bytes ||
		    (chunk.kind != WIRE_TALLY && chunk.kind != WIRE_CONTEXTS &&
		     chunk.kind != WIRE_TABLE))
			continue;
		layout->chunks = memory_grow(
			layout->chunks, layout->chunk_count,
			&layout->chunk_capacity, sizeof(*layout->chunks));
		layout->chunks[layout->chunk_count++] =
			(struct packed_chunk){ chunk.owner, chunk.kind,
					       chunk.offset, chunk.bytes };
	}
}

_Static_assert(WIRE_TALLY < WIRE_CONTEXTS && WIRE_CONTEXTS < WIRE_TABLE,
	       "the tally's own chunk comes first, and its tables come last");

static int by_owner(const void *left, const void *right)
{
	const struct packed_chunk *a = left, *b = right;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->offset < b->offset ? -1 : 1;
}

/*
 * Returns the table to which the tally refers if it lies, with its times, in
 * one of the TABLE chunks.
 */
static struct packed_table find_table(const struct part_copy *part,
				      const struct packed_chunk *chunks,
				      size_t count, uint64_t ref)
{
	const uint64_t offset = wire_table_offset(ref);
	const unsigned int log2 = wire_table_log2(ref);
	const int is_exact = part->header->time == WIRE_TIME_EXACT;
	uint64_t bytes, times;

	if (log2 > 40)
		return (struct packed_table){ 0 };
	bytes = (uint64_t)sizeof(struct wire_count) << log2;
	times = is_exact ? (uint64_t)sizeof(struct wire_times) << log2 : 0;
	for (size_t i = 0; i < count; i++) {
		const struct packed_chunk *chunk = &chunks[i];
		const size_t start = chunk->offset + sizeof(struct wire_chunk);
		const size_t end = chunk->offset + chunk->bytes;

		if (chunk->kind == WIRE_TABLE && offset >= start &&
		    offset - start >= times && offset <= end &&
		    end - offset >= bytes)
			return (struct packed_table){
				.entries = (size_t)offset,
				.times_bytes = (size_t)times,
				.mask = (UINT64_C(1) << log2) - 1,
			};
	}
	return (struct packed_table){ 0 };
}

/* Adds the tally of a run of chunks with one owner, if it has a TALLY chunk. */
static void add_tally(struct packed_layout *layout,
		      const struct part_copy *part,
		      const struct packed_chunk *chunks, size_t count)
{
	struct packed_tally *tally = &layout->tallies[layout->tally_count];
	const struct wire_tally *head;
	size_t at = 1;

	if (chunks->kind != WIRE_TALLY || chunks->bytes < WIRE_TALLY_BYTES)
		return;
	while (at < count && chunks[at].kind == WIRE_TALLY)
		at++;
	head = (const void *)(part->bytes + chunks->offset +
			      sizeof(struct wire_chunk));
	*tally = (struct packed_tally){
		.contexts = chunks->offset + sizeof(struct wire_chunk) +
			    sizeof(*head),
		.context_slots = (WIRE_TALLY_TABLE_OFFSET -
				  sizeof(struct wire_chunk) - sizeof(*head)) /
				 sizeof(struct wire_context),
		.chunks = chunks + at,
	};
	while (at < count && chunks[at].kind == WIRE_CONTEXTS) {
		layout->bytes += packed_payload(&chunks[at]);
		tally->chunk_count++;
		at++;
	}
	tally->tables[0] = find_table(part, chunks, count, head->table);
	if (head->retired != head->table)
		tally->tables[1] =
			find_table(part, chunks, count, head->retired);
	for (int i = 0; i < PACKED_TABLES; i++)
		layout->bytes += packed_table_bytes(&tally->tables[i]);
	layout->tally_count++;
}

void packed_layout_init(struct packed_layout *layout,
			const struct part_copy *part)
{
	size_t end;

	*layout = (struct packed_layout){ 0 };
	collect(layout, part);
	if (!layout->chunk_count)
		return;
	qsort(layout->chunks, layout->chunk_count, sizeof(*layout->chunks),
	      by_owner);
	layout->tallies =
		memory_zeroed(layout->chunk_count, sizeof(*layout->tallies));
	for (size_t i = 0; i < layout->chunk_count; i = end) {
		for (end = i + 1;
		     end < layout->chunk_count &&
		     layout->chunks[end].owner == layout->chunks[i].owner;)
			end++;
		add_tally(layout, part, layout->chunks + i, end - i);
	}
}

void packed_layout_fini(struct packed_layout *layout)
{
	free(layout->chunks);
	free(layout->tallies);
}

void packed_history_init(struct packed_history *history)
{
	*history = (struct packed_history){
		.latest_sites =
			memory_zeroed((size_t)1 << WIRE_PACKED_SITES_LOG2,
				      sizeof(*history->latest_sites)),
	};
}

void packed_history_fini(struct packed_history *history)
{
	free(history->contexts);
	free(history->latest_sites);
}

void packed_history_begin(struct packed_history *history,
			  const struct part_copy *part,
			  const struct packed_tally *tally)
{
	const struct wire_context *contexts =
		packed_contexts(part, tally->contexts);

	history->count = 0;
	history->function = 0;
	for (size_t i = 0; i < tally->context_slots; i++)
		if (contexts[i].id)
			packed_history_add(history, &contexts[i], 0);
}

void packed_history_add(struct packed_history *history,
			const struct wire_context *context, uint32_t caller)
{
	history->contexts =
		memory_grow(history->contexts, history->count,
			    &history->capacity, sizeof(*history->contexts));
	history->contexts[history->count++] =
		(struct packed_context){ context->id, context->function,
					 context->depth, caller };
	history->function = context->function;
}
