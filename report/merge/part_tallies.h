/* SPDX-License-Identifier: MIT */
/*
 * Locates the contexts and counts of a part.
 *
 * Contexts and count tables are searched chunk by chunk. References of tallies
 * are not followed directly: for each chunk, its owner is checked for a
 * reference to it. Therefore a damaged or hostile recording cannot make the
 * reader read the same bytes more than twice.
 */
#ifndef CLEW_MERGE_PART_TALLIES_H
#define CLEW_MERGE_PART_TALLIES_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/part_reader.h"

struct context_span {
	uint32_t tally;
	const struct wire_context *items; /* an item with id 0 is not valid */
	size_t count;
};

struct count_span {
	uint32_t tally;
	const struct wire_count *items; /* an item with id 0 is empty */
	size_t count;
	/*
	 * The times of the first item. The times of the others precede them in
	 * memory. NULL if there are none.
	 */
	const struct wire_times *times;
	/* Own times from a trace, by index of the item; or NULL. */
	const uint64_t *own_ticks;
};

/* Returns the times of the calls of the item with index i, or NULL. */
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

/*
 * Locates the data of a part. The result points into `part`, which must exist
 * as long.
 */
void part_tallies_init(struct part_tallies *tallies,
		       const struct part_copy *part);

/*
 * Adds a span of contexts and one of counts to a tally. They must exist as long
 * as `tallies`.
 */
void part_tallies_add(struct part_tallies *tallies, uint32_t tally,
		      const struct wire_context *contexts,
		      const struct count_span *counts);

void part_tallies_fini(struct part_tallies *tallies);

#endif
