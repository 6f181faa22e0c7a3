/* SPDX-License-Identifier: MIT */
/*
 * Where the contexts and counts of a part lie.
 *
 * Contexts are found by chunk. Counts are found by chunk as well, and not by
 * following the tally's references: a chunk is read only if its owner refers
 * to it, so that no arrangement of references makes the reader look at the
 * same bytes more than twice.
 */
#ifndef CLEW_MERGE_PART_TALLIES_H
#define CLEW_MERGE_PART_TALLIES_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/part_reader.h"

struct context_span {
	uint32_t tally;
	const struct wire_context *items; /* those with id 0 are not valid */
	size_t count;
};

struct count_span {
	uint32_t tally;
	const struct wire_count *items; /* those with id 0 are empty */
	size_t count;
	const struct wire_times *times; /* of the first; the others before it */
	const uint64_t *own_ticks;      /* of a trace, by item; or NULL */
};

/* The times of the calls in an entry, or NULL. */
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

/* Points into `part`, which must outlive it. */
void part_tallies_init(struct part_tallies *tallies,
		       const struct part_copy *part);

/* As many contexts and counts more of a tally, which must outlive it. */
void part_tallies_add(struct part_tallies *tallies, uint32_t tally,
		      const struct wire_context *contexts,
		      const struct count_span *counts);

void part_tallies_fini(struct part_tallies *tallies);

#endif
