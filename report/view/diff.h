/* SPDX-License-Identifier: MIT */
/* Two recordings, side by side: match.h says which functions are the same. */
#ifndef CLEW_VIEW_DIFF_H
#define CLEW_VIEW_DIFF_H

#include "report/view/flat.h"
#include "report/view/session.h"

struct diff {
	/* The same nodes, with what each of the recordings has for them. */
	struct tree before, after;
	/*
	 * ... and how much of each node itself changed, up or down: its sums
	 * say what to show first, and what to hide.
	 */
	struct tree changes;
	struct catalog *catalog; /* of the first session, for all of them */
	enum metric metric;      /* time, if both have it, by the same clock */
	/* How each took time. */
	enum wire_time clock_before, clock_after;
	/* The whole time of each, which gives the weight of its samples. */
	struct sampled whole_before, whole_after;
	double node_limit; /* see diff_is_node_significant() */
};

/* False where both took time, but one that is not the other's. */
int diff_has_like_clocks(const struct diff *diff);

/* Both sessions must outlive it; the first one's catalog is added to. */
void diff_init(struct diff *diff, struct session *before,
	       struct session *after);
void diff_fini(struct diff *diff);

struct diff_row {
	uint32_t function; /* the others may be 0 in one of them */
	struct flat_row before, after;
	/*
	 * The change of the table's key is not random. Calls and measured times
	 * are exact: each change of them is significant. For sampled times, the
	 * rate of false discoveries among all rows is at most 5 %.
	 */
	int is_significant;
};

struct diff_table {
	/* Significant changes come first, and the largest of them. */
	struct diff_row *rows;
	size_t count;
};

/* What the rows are compared by. */
enum diff_key { DIFF_SELF, DIFF_TOTAL, DIFF_CALLS };

void diff_table_init(struct diff_table *table, const struct diff *diff,
		     const struct selection *selection, enum diff_key key);
void diff_table_fini(struct diff_table *table);

/* The number that a row has by this key. */
uint64_t diff_value(const struct flat_row *row, enum diff_key key);

int diff_has_change(const struct diff_row *row, enum diff_key key);

/*
 * Whether the change of what these two nodes of `before` and `after`, or sums
 * of nodes, have below them is not random. All nodes are judged together, as
 * the rows of a table are.
 */
int diff_is_node_significant(const struct diff *diff,
			     const struct measure *before,
			     const struct measure *after, enum metric metric);

#endif
