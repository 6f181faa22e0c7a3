/* SPDX-License-Identifier: MIT */
/* See part_packing.h. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "base/varint.h"
#include "report/recording/packed_layout.h"
#include "report/recording/part_packing.h"
#include "wire/id.h"

struct unpacker {
	const struct part_copy *part;
	struct packed_history history;
	struct cursor columns[WIRE_PACKED_COLUMNS];
	int is_bad; /* the columns do not fit to the part */
};

static uint64_t take(struct unpacker *unpacker, enum wire_packed_column number)
{
	return cursor_uleb(&unpacker->columns[number]);
}

static int is_damaged(const struct unpacker *unpacker)
{
	int is_bad = unpacker->is_bad;

	for (int i = 0; i < WIRE_PACKED_COLUMNS; i++)
		is_bad |= unpacker->columns[i].is_bad;
	return is_bad;
}

static uint64_t take_site(struct unpacker *unpacker, uint32_t function,
			  uint32_t caller)
{
	struct packed_history *history = &unpacker->history;
	uint64_t *latest = packed_latest_site(history, function, caller);

	if (take(unpacker, WIRE_PACKED_SITES))
		history->site = *latest = unzigzag_long(
			history->site, take(unpacker, WIRE_PACKED_SITES));
	return *latest;
}

static void take_context(struct unpacker *unpacker,
			 struct wire_context *context)
{
	struct packed_history *history = &unpacker->history;
	const uint64_t back = take(unpacker, WIRE_PACKED_CALLERS);
	const uint32_t caller = back && back <= history->count
					? (uint32_t)(history->count + 1 - back)
					: 0;
	uint64_t id;

	if (caller)
		id = history->contexts[caller - 1].id;
	else
		id = cursor_u64(&unpacker->columns[WIRE_PACKED_ODDS]);
	context->function =
		unzigzag(history->function,
			 (uint32_t)take(unpacker, WIRE_PACKED_FUNCTIONS));
	context->depth = unzigzag(packed_depth(history, caller),
				  (uint32_t)take(unpacker, WIRE_PACKED_DEPTHS));
	context->site = take_site(unpacker, context->function, caller);
	id = id_push(id, id_key(context->function));
	context->id = wire_is_tail(context) ? wire_tail_id(id) : id;
	packed_history_add(history, context, caller);
}

static void take_chunk(struct unpacker *unpacker,
		       const struct packed_chunk *chunk)
{
	struct wire_context *contexts = packed_contexts(
		unpacker->part, chunk->offset + sizeof(struct wire_chunk));
	const uint64_t count = take(unpacker, WIRE_PACKED_SIZES);

	if (count > packed_slots(chunk) ||
	    count > cursor_left(&unpacker->columns[WIRE_PACKED_CALLERS])) {
		unpacker->is_bad = 1;
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		take_context(unpacker, &contexts[i]);
}

/* A table that is being filled. */
struct filled_table {
	const struct packed_table *table;
	struct wire_count *counts;
	/*
	 * How many entries may still be searched. The limit exceeds what
	 * clew's tables need, and limits the time for ids that a hostile file has
	 * chosen, which may all have the same home.
	 */
	uint64_t searches;
};

/* Entries that may be searched for each entry that is filled, on average. */
enum { SEARCHES_PER_ENTRY = 256 };

static void take_entry(struct unpacker *unpacker, struct filled_table *filled,
		       uint64_t id, uint64_t calls)
{
	const struct packed_table *table = filled->table;
	uint64_t at = wire_count_home(id, table->mask);
	struct cursor *times = &unpacker->columns[WIRE_PACKED_TIMES];

	filled->searches += SEARCHES_PER_ENTRY;
	while (filled->counts[at].id && filled->searches) {
		at = (at + 1) & table->mask;
		filled->searches--;
	}
	if (filled->counts[at].id || calls > WIRE_CALLS) {
		unpacker->is_bad = 1;
		return;
	}
	filled->counts[at].id = id;
	filled->counts[at].field = calls;
	if (!table->times_bytes)
		return;
	if (cursor_left(times) < sizeof(struct wire_times)) {
		cursor_spoil(times);
		return;
	}
	memcpy(packed_times(unpacker->part, table, at), times->at,
	       sizeof(struct wire_times));
	cursor_skip(times, sizeof(struct wire_times));
}

static void take_table(struct unpacker *unpacker,
		       const struct packed_table *table)
{
	enum { AHEAD = 8 };
	const struct packed_history *history = &unpacker->history;
	struct filled_table filled = {
		.table = table,
		.counts = packed_entries(unpacker->part, table),
	};
	uint64_t others;

	for (size_t i = 0; i < history->count; i++) {
		const uint64_t code = take(unpacker, WIRE_PACKED_CALLS);

		if (i + AHEAD < history->count)
			__builtin_prefetch(&filled.counts[wire_count_home(
				history->contexts[i + AHEAD].id, table->mask)]);
		if (code)
			take_entry(unpacker, &filled, history->contexts[i].id,
				   code - 1);
	}
	others = take(unpacker, WIRE_PACKED_CALLS);
	if (others > cursor_left(&unpacker->columns[WIRE_PACKED_CALLS])) {
		unpacker->is_bad = 1;
		return;
	}
	for (uint64_t i = 0; i < others; i++) {
		const uint64_t calls = take(unpacker, WIRE_PACKED_CALLS);

		take_entry(unpacker, &filled,
			   cursor_u64(&unpacker->columns[WIRE_PACKED_ODDS]),
			   calls);
	}
}

/*
 * Empties the tally's packed chunks. They have bytes if packing was interrupted,
 * or if the file system has no holes.
 */
static void empty_tally(const struct part_copy *part,
			const struct packed_tally *tally)
{
	for (size_t i = 0; i < tally->chunk_count; i++)
		memset(part->bytes + tally->chunks[i].offset +
			       sizeof(struct wire_chunk),
		       0, packed_payload(&tally->chunks[i]));
	for (int i = 0; i < PACKED_TABLES; i++)
		if (tally->tables[i].entries)
			memset(part->bytes +
				       packed_table_start(&tally->tables[i]),
			       0, packed_table_bytes(&tally->tables[i]));
}

static void take_tally(struct unpacker *unpacker,
		       const struct packed_tally *tally)
{
	empty_tally(unpacker->part, tally);
	packed_history_begin(&unpacker->history, unpacker->part, tally);
	for (size_t i = 0; i < tally->chunk_count && !is_damaged(unpacker); i++)
		take_chunk(unpacker, &tally->chunks[i]);
	for (int i = 0; i < PACKED_TABLES; i++)
		if (tally->tables[i].entries && !is_damaged(unpacker))
			take_table(unpacker, &tally->tables[i]);
}

/*
 * Decompresses the columns. Returns their bytes, which the caller must free();
 * or NULL if they are damaged.
 */
static uint8_t *decompress(struct unpacker *unpacker, const void *payload,
			   size_t used)
{
	struct wire_packed packed;
	uint64_t total = 0;
	uint8_t *bytes;
	struct cursor all;
	size_t frame;

	if (used < sizeof(packed))
		return NULL;
	memcpy(&packed, payload, sizeof(packed));
	frame = used - sizeof(packed);
	for (int i = 0; i < WIRE_PACKED_COLUMNS; i++) {
		if (packed.column_bytes[i] > WIRE_PACKED_BYTES_MAX)
			return NULL;
		total += packed.column_bytes[i];
	}
	if (total > WIRE_PACKED_BYTES_MAX)
		return NULL;
	bytes = malloc(total + 1);
	if (!bytes)
		return NULL;
	if (ZSTD_decompress(bytes, total,
			    (const uint8_t *)payload + sizeof(packed),
			    frame) != total) {
		free(bytes);
		return NULL;
	}
	all = cursor_at((struct span){ bytes, total }, 0);
	for (int i = 0; i < WIRE_PACKED_COLUMNS; i++)
		unpacker->columns[i] =
			cursor_part(&all, packed.column_bytes[i]);
	return bytes;
}

static int unpack(struct unpacker *unpacker, const struct part_chunk *chunk)
{
	uint8_t *bytes =
		decompress(unpacker, chunk->payload, part_chunk_used(chunk));
	struct packed_layout layout;

	if (!bytes)
		return 0;
	packed_layout_init(&layout, unpacker->part);
	unpacker->is_bad = layout.bytes > WIRE_PACKED_BYTES_MAX;
	packed_history_init(&unpacker->history);
	for (size_t i = 0; i < layout.tally_count && !is_damaged(unpacker); i++)
		take_tally(unpacker, &layout.tallies[i]);
	packed_history_fini(&unpacker->history);
	packed_layout_fini(&layout);
	free(bytes);
	return !is_damaged(unpacker);
}

/* Removes the last chunk of the copy. */
static void remove_last(struct part_copy *part, const struct part_chunk *chunk)
{
	struct wire_header *header = (struct wire_header *)part->bytes;

	part->size_bytes = (size_t)chunk->offset;
	header->end = chunk->offset;
}

const char *part_unpack(struct part_copy *part)
{
	struct unpacker unpacker = { .part = part };
	struct part_chunk chunk = { 0 }, next;
	uint64_t cursor = 0;
	const char *why = NULL;

	while (part_next_chunk(part, &cursor, &next))
		chunk = next;
	if (chunk.kind != WIRE_PACKED ||
	    chunk.offset + chunk.bytes != part->size_bytes)
		why = "its packed counts are missing";
	else if (!unpack(&unpacker, &chunk))
		why = "its packed counts are damaged";
	if (chunk.kind == WIRE_PACKED)
		remove_last(part, &chunk);
	if (why)
		((struct wire_header *)part->bytes)->version =
			WIRE_VERSION_PACKED;
	return why;
}
