/* SPDX-License-Identifier: MIT */
/*
 * The common code of part_pack() and part_unpack(): the packed chunks of a part
 * in their order, and the contexts to which the numbers of a later context
 * refer (wire/packed.h).
 */
#ifndef CLEW_RECORDING_PACKED_LAYOUT_H
#define CLEW_RECORDING_PACKED_LAYOUT_H

#include "report/recording/part_reader.h"

/* Offsets are those in the file, and in the copy. */
struct packed_chunk {
	uint32_t owner;
	uint32_t kind; /* WIRE_TALLY, WIRE_CONTEXTS or WIRE_TABLE */
	size_t offset, bytes;
};

struct packed_table {
	size_t entries;     /* offset of the table; 0: it is not packed */
	size_t times_bytes; /* of the times that precede the table, or 0 */
	uint64_t mask;      /* number of its entries - 1 */
};

enum { PACKED_TABLES = 2 };

struct packed_tally {
	size_t contexts; /* offset of the contexts in the TALLY chunk */
	size_t context_slots;
	/* CONTEXTS chunks */
	const struct packed_chunk *chunks;
	size_t chunk_count;
	struct packed_table tables[PACKED_TABLES];
};

struct packed_layout {
	struct packed_chunk *chunks; /* sorted by owner, kind and offset */
	size_t chunk_count, chunk_capacity;
	struct packed_tally *tallies;
	size_t tally_count;
	uint64_t bytes; /* sum of the bytes that are packed */
};

/* Finds the packed chunks of a part. Inherited chunks are never packed. */
void packed_layout_init(struct packed_layout *layout,
			const struct part_copy *part);
void packed_layout_fini(struct packed_layout *layout);

static inline struct wire_context *packed_contexts(const struct part_copy *part,
						   size_t offset)
{
	return (struct wire_context *)(part->bytes + offset);
}

/* Returns the bytes of a chunk that are packed. */
static inline size_t packed_payload(const struct packed_chunk *chunk)
{
	return chunk->bytes - sizeof(struct wire_chunk);
}

static inline size_t packed_slots(const struct packed_chunk *chunk)
{
	return packed_payload(chunk) / sizeof(struct wire_context);
}

/* Returns the offset and the bytes of a packed table with its times. */
static inline size_t packed_table_start(const struct packed_table *table)
{
	return table->entries - table->times_bytes;
}

static inline size_t packed_table_bytes(const struct packed_table *table)
{
	return table->entries
		       ? table->times_bytes + ((size_t)table->mask + 1) *
						      sizeof(struct wire_count)
		       : 0;
}

static inline struct wire_count *packed_entries(
	const struct part_copy *part, const struct packed_table *table)
{
	return (struct wire_count *)(part->bytes + table->entries);
}

/* Returns the times of an entry; the table must have times. */
static inline struct wire_times *packed_times(const struct part_copy *part,
					      const struct packed_table *table,
					      uint64_t entry)
{
	return (struct wire_times *)(part->bytes + table->entries) - 1 - entry;
}

/* A context to which later ones refer. */
struct packed_context {
	uint64_t id; /* of its record */
	uint32_t function;
	uint32_t depth;
	uint32_t caller; /* its caller's index + 1, or 0 if it is unknown */
};

/* The contexts of a tally so far, and what the next one is compared with. */
struct packed_history {
	struct packed_context *contexts;
	size_t count, capacity;
	uint32_t function; /* of the previous context */
	uint64_t site;     /* the latest one in SITES */
	uint64_t
		*latest_sites; /* the latest sites (wire_packed_site_index()) */
};

void packed_history_init(struct packed_history *history);
void packed_history_fini(struct packed_history *history);

/* Begins with the valid contexts in the TALLY chunk. */
void packed_history_begin(struct packed_history *history,
			  const struct part_copy *part,
			  const struct packed_tally *tally);

void packed_history_add(struct packed_history *history,
			const struct wire_context *context, uint32_t caller);

/* Returns the depth that is expected of a context of this caller. */
static inline uint32_t packed_depth(const struct packed_history *history,
				    uint32_t caller)
{
	return caller ? history->contexts[caller - 1].depth + 1 : 1;
}

/* Returns where the site of a function's latest call by the caller is. */
static inline uint64_t *packed_latest_site(const struct packed_history *history,
					   uint32_t function, uint32_t caller)
{
	return &history->latest_sites[wire_packed_site_index(
		function, caller ? history->contexts[caller - 1].function : 0)];
}

#endif
