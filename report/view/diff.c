/* SPDX-License-Identifier: MIT */
/* See diff.h. */
#include "report/view/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/view/labels.h"
#include "report/view/match.h"

/*
 * Returns the function of the diff's catalog for a function of the first
 * recording, or of the second one.
 */
static uint32_t function_in(struct match *match, uint32_t function,
			    int is_second)
{
	return is_second ? match_function(match, function)
			 : match_own(match, function);
}

/* Adds the nodes without their measures. Returns the new index of each node. */
static uint32_t *add_nodes(struct diff *diff, const struct tree *tree,
			   struct match *match, int is_second)
{
	uint32_t *moved = memory_zeroed(tree->count, sizeof(*moved));

	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		uint32_t function =
			function_in(match, node->function, is_second);
		struct tree_node *made;

		moved[i] = tree_child(&diff->changes, moved[node->parent],
				      function);
		made = &diff->changes.nodes[moved[i]];
		made->is_context |= node->is_context;
	}
	return moved;
}

/* Moves totals of a baseline's functions to those of the diff's catalog. */
static struct measure *move_totals(const struct session *session,
				   struct match *match, size_t count,
				   int is_second)
{
	struct measure *totals;

	if (!session->totals)
		return NULL;
	totals = memory_zeroed(count, sizeof(*totals));
	for (uint32_t i = 1; i < session->totals_count; i++) {
		if (session->totals[i].ns > 0)
			measure_add(&totals[function_in(match, i, is_second)],
				    &session->totals[i]);
	}
	return totals;
}

/* Creates a tree with all nodes and the measures of one recording. */
static void fill(struct tree *to, const struct tree *nodes,
		 const struct tree *from, const uint32_t *moved)
{
	tree_init(to);
	tree_reserve(to, nodes->count);
	to->count = nodes->count;
	memcpy(to->nodes, nodes->nodes, nodes->count * sizeof(*to->nodes));
	for (size_t i = 0; i < from->count; i++) {
		const struct measure self = tree_self(from, i);

		tree_add(to, moved[i], &self);
	}
	tree_sum(to);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void fill_changes(struct diff *diff)
{
	for (size_t i = 0; i < diff->changes.count; i++) {
		const struct measure a = tree_self(&diff->before, i);
		const struct measure b = tree_self(&diff->after, i);

		tree_add(&diff->changes, (uint32_t)i,
			 &(struct measure){
				 .calls = distance(a.calls, b.calls),
				 .ns = distance(a.ns, b.ns),
			 });
	}
	tree_sum(&diff->changes);
}

static int has_calls(const struct session *session)
{
	return !session->summary.has_unknown_calls ||
	       session->summary.contexts > 0;
}

static struct sampled whole_of(const struct session *session)
{
	const struct measure all = tree_below(&session->tree, TREE_ROOT);

	return (struct sampled){ (double)all.ns, session->summary.squares_ns2 };
}

/*
 * Samples of one function may have different weights, which are not recorded.
 * The samples are assumed to say at most as much as the same share of the
 * recording's samples.
 */
struct sampled diff_sampled(const struct measure *measure, struct sampled whole)
{
	struct sampled part =
		sampled_alike((double)measure->ns, (double)measure->samples);
	double least = whole.ns > 0 ? whole.squares * part.ns / whole.ns : 0;

	if (part.squares < least)
		part.squares = least;
	return part;
}

static int is_sampled(const struct measure *before, const struct measure *after)
{
	return before->samples > 0 || after->samples > 0;
}

/*
 * Returns the probability that two sampled times differ by chance at least as
 * much as these.
 */
static double chance_of(const struct diff *diff, const struct measure *before,
			const struct measure *after)
{
	return confidence_chance(diff_sampled(before, diff->whole_before),
				 diff_sampled(after, diff->whole_after));
}

/* Returns the probability above which a node's change may be random. */
static double find_node_limit(const struct diff *diff)
{
	double *chances = memory_zeroed(diff->changes.count, sizeof(*chances));
	size_t count = 0;
	double limit;

	for (size_t i = 1; i < diff->changes.count; i++) {
		const struct measure a = tree_below(&diff->before, (uint32_t)i);
		const struct measure b = tree_below(&diff->after, (uint32_t)i);

		if (is_sampled(&a, &b))
			chances[count++] = chance_of(diff, &a, &b);
	}
	limit = confidence_limit(chances, count);
	free(chances);
	return limit;
}

int diff_is_node_significant(const struct diff *diff,
			     const struct measure *before,
			     const struct measure *after, enum metric metric)
{
	if (metric == METRIC_CALLS)
		return before->calls != after->calls;
	if (!is_sampled(before, after))
		return before->ns != after->ns;
	return chance_of(diff, before, after) <= diff->node_limit;
}

int diff_has_like_clocks(const struct diff *diff)
{
	return diff->clock_before == diff->clock_after ||
	       diff->clock_before == WIRE_TIME_NONE ||
	       diff->clock_after == WIRE_TIME_NONE;
}

void diff_init(struct diff *diff, struct session *before, struct session *after)
{
	struct match match;
	uint32_t *first, *second;

	*diff = (struct diff){
		.catalog = &before->catalog,
		.clock_before = before->summary.time,
		.clock_after = after->summary.time,
		.whole_before = whole_of(before),
		.whole_after = whole_of(after),
		.has_calls_before = has_calls(before),
		.has_calls_after = has_calls(after),
	};
	diff->metric = before->metric == METRIC_TIME &&
				       after->metric == METRIC_TIME &&
				       diff_has_like_clocks(diff)
			       ? METRIC_TIME
			       : METRIC_CALLS;
	tree_init(&diff->changes);
	match_init(&match, &after->catalog, &before->catalog, &before->tree);
	first = add_nodes(diff, &before->tree, &match, 0);
	second = add_nodes(diff, &after->tree, &match, 1);
	fill(&diff->before, &diff->changes, &before->tree, first);
	fill(&diff->after, &diff->changes, &after->tree, second);
	fill_changes(diff);
	diff->node_limit = find_node_limit(diff);
	diff->totals_count = before->catalog.function_count;
	diff->totals_before =
		move_totals(before, &match, diff->totals_count, 0);
	diff->totals_after = move_totals(after, &match, diff->totals_count, 1);
	free(first);
	free(second);
	match_fini(&match);
}

void diff_fini(struct diff *diff)
{
	tree_fini(&diff->before);
	tree_fini(&diff->after);
	tree_fini(&diff->changes);
	free(diff->totals_before);
	free(diff->totals_after);
}

uint64_t diff_value(const struct flat_row *row, enum diff_key key)
{
	switch (key) {
	case DIFF_SELF:
		return row->self.ns;
	case DIFF_TOTAL:
		return row->total.ns;
	case DIFF_CALLS:
		break;
	}
	return row->self.calls;
}

int diff_has_change(const struct diff_row *row, enum diff_key key)
{
	return diff_value(&row->before, key) != diff_value(&row->after, key);
}

static uint64_t change_of(const struct diff_row *row, enum diff_key key)
{
	return distance(diff_value(&row->before, key),
			diff_value(&row->after, key));
}

static int by_change(const void *left, const void *right, void *context)
{
	const struct diff_row *a = left, *b = right;
	enum diff_key key = *(const enum diff_key *)context;
	uint64_t less = change_of(a, key), more = change_of(b, key);

	if (a->is_significant != b->is_significant)
		return a->is_significant ? -1 : 1;
	if (less != more)
		return less > more ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/* Adds the rows of one recording to those of their functions. */
static void add_rows(struct diff_row *rows, const struct diff *diff,
		     const struct tree *tree)
{
	uint32_t *labels = labels_of(tree, diff->catalog, LABEL_FUNCTION);
	struct flat flat;

	flat_init(&flat, tree, labels, diff->catalog->function_count);
	for (size_t i = 0; i < flat.count; i++) {
		struct diff_row *row = &rows[flat.rows[i].function];

		row->function = flat.rows[i].function;
		if (tree == &diff->before)
			row->before = flat.rows[i];
		else
			row->after = flat.rows[i];
	}
	flat_fini(&flat);
	free(labels);
}

static void set_totals(struct diff_row *rows, const struct diff *diff)
{
	for (size_t i = 0; i < diff->totals_count; i++) {
		if (diff->totals_before && rows[i].function)
			rows[i].before.total = diff->totals_before[i];
		if (diff->totals_after && rows[i].function)
			rows[i].after.total = diff->totals_after[i];
	}
}

/* Adds up the chosen functions of one recording. */
static void add_chosen(struct flat_row *row, const struct diff *diff,
		       const struct tree *tree, const struct measure *totals,
		       const uint8_t *chosen)
{
	uint32_t *labels = memory_zeroed(tree->count, sizeof(*labels));
	uint8_t *outermost;

	for (size_t i = 1; i < tree->count; i++)
		labels[i] = chosen[tree->nodes[i].function];
	outermost = labels_outermost(tree, labels, 2);
	for (size_t i = 1; i < tree->count; i++) {
		const struct measure self = tree_self(tree, i);
		const struct measure below = tree_below(tree, i);

		if (!labels[i])
			continue;
		measure_add(&row->self, &self);
		row->function = tree->nodes[i].function;
		if (outermost[i] && !totals)
			measure_add(&row->total, &below);
	}
	for (size_t i = 1; totals && i < diff->totals_count; i++) {
		if (chosen[i])
			measure_add(&row->total, &totals[i]);
	}
	free(outermost);
	free(labels);
}

struct diff_row diff_row_of(const struct diff *diff, const uint8_t *chosen)
{
	struct diff_row row = { 0 };

	add_chosen(&row.before, diff, &diff->before, diff->totals_before,
		   chosen);
	add_chosen(&row.after, diff, &diff->after, diff->totals_after, chosen);
	return row;
}

static const struct measure *measure_of_key(const struct flat_row *row,
					    enum diff_key key)
{
	return key == DIFF_TOTAL ? &row->total : &row->self;
}

static int is_row_sampled(const struct diff_row *row, enum diff_key key)
{
	return key != DIFF_CALLS &&
	       is_sampled(measure_of_key(&row->before, key),
			  measure_of_key(&row->after, key));
}

static void find_significant(const struct diff *diff, struct diff_row *rows,
			     size_t count, enum diff_key key)
{
	double *chances = memory_zeroed(count, sizeof(*chances));
	double *sorted = memory_zeroed(count, sizeof(*sorted));
	size_t sampled = 0;
	double limit;

	for (size_t i = 0; i < count; i++) {
		if (!is_row_sampled(&rows[i], key))
			continue;
		chances[i] =
			chance_of(diff, measure_of_key(&rows[i].before, key),
				  measure_of_key(&rows[i].after, key));
		sorted[sampled++] = chances[i];
	}
	limit = confidence_limit(sorted, sampled);
	for (size_t i = 0; i < count; i++)
		rows[i].is_significant =
			is_row_sampled(&rows[i], key)
				? chances[i] <= limit
				: diff_has_change(&rows[i], key);
	free(sorted);
	free(chances);
}

void diff_table_init(struct diff_table *table, const struct diff *diff,
		     const struct selection *selection, enum diff_key key)
{
	size_t functions = diff->catalog->function_count;
	struct diff_row *rows = memory_zeroed(functions, sizeof(*rows));
	size_t kept = 0;

	add_rows(rows, diff, &diff->before);
	add_rows(rows, diff, &diff->after);
	set_totals(rows, diff);
	for (size_t i = 0; i < functions; i++) {
		if (rows[i].function &&
		    selection_has_function(selection, diff->catalog,
					   rows[i].function))
			rows[kept++] = rows[i];
	}
	find_significant(diff, rows, kept, key);
	qsort_r(rows, kept, sizeof(*rows), by_change, &key);
	*table = (struct diff_table){ .rows = rows, .count = kept };
}

void diff_table_fini(struct diff_table *table)
{
	free(table->rows);
}
