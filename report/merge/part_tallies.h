/* SPDX-License-Identifier: MIT */
/*
 * Locates the contexts and counts of a part.
 *
 * Contexts are found chunk by chunk. Counts are also found chunk by chunk
 * instead of by following the tally's references: a chunk is read only if its
 * owner refers to it. Therefore no arrangement of references makes the reader
 * read the same bytes more than twice.
 */
#ifndef CLEW_MERGE_PART_TALLIES_H
#define CLEW_MERGE_PART_TALLIES_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/part_reader.h"

struct context_span {
	uint32_t tally;
	const struct wire_context *items; /* id 0: not valid */
	size_t count;
};

struct count_span {
	uint32_t tally;
	const struct wire_count *items; /* id 0: empty */
	size_t count;
	/* of the first item; others precede it in memory */
	const struct wire_times *times;
	const uint64_t *own_ticks; /* for a trace, by item; or NULL */
};

/* Returns the times of the calls of an entry, or NULL. */
static inline const struct wire_times *count_span_times(
	const struct count_span *span, size_t i)
{
	return span->times ? span->times - i : NULL;
}

struct part_tally {
	uint32_t number;
	const struct wire_tally *head;
};

struct part_tallies {
	struct part_tally *items;
	size_t count, capacity;
	struct context_span *contexts;
	size_t context_spans, context_capacity;
	struct count_span *counts;
	size_t count_spans, count_capacity;
};

/* The result points into `part`, which must outlive it. */
void part_tallies_init(struct part_tallies *tallies,
		       const struct part_copy *part);

/* Adds contexts and counts of a tally, which must outlive `tallies`. */
void part_tallies_add(struct part_tallies *tallies, uint32_t tally,
		      const struct wire_context *contexts,
		      const struct count_span *counts);

void part_tallies_fini(struct part_tallies *tallies);

#endif
