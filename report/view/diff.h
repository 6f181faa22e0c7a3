/* SPDX-License-Identifier: MIT */
/* Compares two recordings. match.h says which functions are the same. */
#ifndef CLEW_VIEW_DIFF_H
#define CLEW_VIEW_DIFF_H

#include "report/view/flat.h"
#include "report/view/session.h"

struct diff {
	/* Trees with the same nodes and the measures of each recording. */
	struct tree before, after;
	/*
	 * The absolute change of each node's own measure. The sums of this tree
	 * decide which nodes are shown first, and which are hidden.
	 */
	struct tree changes;
	/* the first session's catalog, which contains all functions */
	struct catalog *catalog;
	/* time, if both sessions show it, from the same kind of clock */
	enum metric metric;
	/* How each recording measured time. */
	enum wire_time clock_before, clock_after;
	/* All time of each recording, from which samples get their weights. */
	struct sampled whole_before, whole_after;
	double node_limit; /* limit for diff_is_node_significant() */
	/*
	 * By function of the catalog: the total of each function of a baseline,
	 * which has no contexts; NULL for a recording.
	 */
	struct measure *totals_before, *totals_after;
	size_t totals_count;
	/* Whether the recordings have calls; false for imported samples. */
	int has_calls_before, has_calls_after;
};

/* Returns 0 if both recordings have time, but of different kinds. */
int diff_has_like_clocks(const struct diff *diff);

/*
 * Both sessions must outlive the diff. Adds functions to the first session's
 * catalog.
 */
void diff_init(struct diff *diff, struct session *before,
	       struct session *after);
void diff_fini(struct diff *diff);

struct diff_row {
	uint32_t function; /* index in diff->catalog; 0 for several functions */
	/* All members are 0 if that recording does not have the function. */
	struct flat_row before, after;
	/*
	 * Whether the change of the table's key is not random. Each change of
	 * calls and measured times is significant, since these are exact. For
	 * sampled times, the rate of false discoveries among all rows is at
	 * most 5 %.
	 */
	int is_significant;
};

struct diff_table {
	/* Significant changes first, the largest of them first. */
	struct diff_row *rows;
	size_t count;
};

/* The value by which rows are compared. */
enum diff_key { DIFF_SELF, DIFF_TOTAL, DIFF_CALLS };

/*
 * Returns one row for the functions of which `chosen` has a 1, by function of
 * diff->catalog. Calls between them count once in the total. The totals of a
 * baseline's functions are added up, since it has no contexts.
 */
struct diff_row diff_row_of(const struct diff *diff, const uint8_t *chosen);

/*
 * Returns the time of a measure with its statistical error. `whole` is all time
 * of the measure's recording.
 */
struct sampled diff_sampled(const struct measure *measure,
			    struct sampled whole);

void diff_table_init(struct diff_table *table, const struct diff *diff,
		     const struct selection *selection, enum diff_key key);
void diff_table_fini(struct diff_table *table);

/* Returns the row's value for this key. */
uint64_t diff_value(const struct flat_row *row, enum diff_key key);

int diff_has_change(const struct diff_row *row, enum diff_key key);

/*
 * Returns whether the change of the sums of two nodes of `before` and `after`,
 * or of sums of nodes, is not random. All nodes are judged together, like the
 * rows of a table.
 */
int diff_is_node_significant(const struct diff *diff,
			     const struct measure *before,
			     const struct measure *after, enum metric metric);

#endif
