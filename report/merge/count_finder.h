/* SPDX-License-Identifier: MIT */
/*
 * Finds the counts of contexts.
 *
 * A part has a record of each context and a count table, which is a hash table
 * of the contexts' ids. Finding the count of each context costs one cache miss.
 * Finding the context of each count costs three: for the slot of an index, for
 * the context, and for its node.
 */
#ifndef CLEW_MERGE_COUNT_FINDER_H
#define CLEW_MERGE_COUNT_FINDER_H

#include "base/idmap.h"
#include "report/merge/part_tallies.h"

struct count_finder {
	const struct part_tallies *tallies;
	/* maps 1 + the number of a tally to 1 + the index of its largest span */
	struct idmap tables;
	uint64_t *taken; /* by span: how many counts were taken */
	/* the latest tally, and its table, or NULL */
	uint32_t tally;
	const struct count_span *table;
};

/* `tallies` must exist as long as the finder. */
void count_finder_init(struct count_finder *finder,
		       const struct part_tallies *tallies);
void count_finder_fini(struct count_finder *finder);

/*
 * Searches the tally's largest count table for an id. Returns the table and
 * stores the index in *index, or returns NULL if the id is not found. The table
 * may still contain the id: the search ends after a fixed number of entries,
 * and is not done if the table's length is no power of two. Calls should pass
 * the same tally many times.
 */
const struct count_span *count_finder_find(struct count_finder *finder,
					   uint32_t tally, uint64_t id,
					   size_t *index);

/*
 * Like count_finder_find(), and notes that the count was taken. Returns NULL
 * also if the count does not matter (count_finder_matters()).
 */
const struct count_span *count_finder_take(struct count_finder *finder,
					   uint32_t tally, uint64_t id,
					   size_t *index);

/* Prefetches the entry where the search for an id begins. */
void count_finder_prefetch(struct count_finder *finder, uint32_t tally,
			   uint64_t id);

/*
 * Returns whether all counts of `span`, one of the tallies' spans, were taken,
 * if none was taken twice. Counts that do not matter are ignored.
 */
int count_finder_took_all(const struct count_finder *finder,
			  const struct count_span *span);

/*
 * Returns whether a count matters: it belongs to a context, and it has calls or
 * the span has times.
 */
static inline int count_finder_matters(const struct count_span *span, size_t i)
{
	return wire_is_counted(&span->items[i]) &&
	       (span->times || wire_calls(&span->items[i]));
}

#endif
