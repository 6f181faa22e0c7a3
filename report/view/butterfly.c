/* SPDX-License-Identifier: MIT */
/* See butterfly.h. */
#include "report/view/butterfly.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/view/labels.h"

/* Gives all chosen functions one label, and all others their own. */
static uint32_t *label_nodes(const struct tree *tree, const uint8_t *chosen,
			     uint32_t label)
{
	uint32_t *labels = memory_zeroed(tree->count, sizeof(*labels));

	for (size_t i = 1; i < tree->count; i++) {
		uint32_t function = tree->nodes[i].function;

		labels[i] = chosen[function] ? label : function;
	}
	return labels;
}

static uint32_t first_chosen(const struct catalog *catalog,
			     const uint8_t *chosen)
{
	uint32_t function = 0;

	while (function + 1 < catalog->function_count && !chosen[function])
		function++;
	return function;
}

static void add_edge(struct measure *edge, const struct measure *self,
		     const struct measure *below, int has_time)
{
	edge->calls += self->calls;
	edge->tails += self->tails;
	if (!has_time)
		return;
	edge->ns += below->ns;
	edge->samples += below->samples;
}

static int by_edge(const void *left, const void *right, void *context)
{
	const struct butterfly_row *a = left, *b = right;
	enum metric metric = *(const enum metric *)context;
	uint64_t less = measure_of(&a->edge, metric);
	uint64_t more = measure_of(&b->edge, metric);

	if (less != more)
		return less > more ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/* Returns the nonzero edges, sorted. */
static struct butterfly_row *rows_of(const struct measure *edges, size_t count,
				     enum metric metric, size_t *row_count)
{
	struct butterfly_row *rows = memory_zeroed(count, sizeof(*rows));
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (edges[i].calls > 0 || edges[i].ns > 0)
			rows[kept++] = (struct butterfly_row){
				.function = (uint32_t)i,
				.edge = edges[i],
			};
	}
	qsort_r(rows, kept, sizeof(*rows), by_edge, &metric);
	*row_count = kept;
	return rows;
}

static void add_bins(struct timing_bins *to, const struct timings *timings,
		     const uint8_t *chosen, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct timing_bins *bins =
			chosen[i] ? timings_of_function(timings, (uint32_t)i)
				  : NULL;

		for (unsigned int j = 0; bins && j < WIRE_BINS; j++)
			to->calls[j] += bins->calls[j];
	}
}

void butterfly_init(struct butterfly *butterfly, const struct tree *tree,
		    struct catalog *catalog, const uint8_t *chosen,
		    enum metric metric)
{
	size_t count = catalog->function_count;
	const uint32_t first = first_chosen(catalog, chosen);
	uint32_t *labels = label_nodes(tree, chosen, first);
	uint8_t *outermost = labels_outermost(tree, labels, count);
	struct measure *callers = memory_zeroed(count, sizeof(*callers));
	struct measure *callees = memory_zeroed(count, sizeof(*callees));

	*butterfly = (struct butterfly){ .function = first };
	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const struct measure self = tree_self(tree, i);
		const struct measure below = tree_below(tree, i);
		uint32_t caller = tree->nodes[node->parent].function;

		if (chosen[node->function]) {
			measure_add(&butterfly->self, &self);
			timing_sum(
				&butterfly->timing,
				timings_of_node(&tree->timings, (uint32_t)i));
			if (outermost[i])
				measure_add(&butterfly->total, &below);
			add_edge(&callers[caller], &self, &below, outermost[i]);
		}
		if (chosen[caller]) {
			butterfly->calls_made += self.calls;
			add_edge(&callees[node->function], &self, &below,
				 outermost[node->parent]);
		}
	}
	add_bins(&butterfly->bins, &tree->timings, chosen, count);
	butterfly->callers =
		rows_of(callers, count, metric, &butterfly->caller_count);
	butterfly->callees =
		rows_of(callees, count, metric, &butterfly->callee_count);
	free(labels);
	free(outermost);
	free(callers);
	free(callees);
}

void butterfly_fini(struct butterfly *butterfly)
{
	free(butterfly->callers);
	free(butterfly->callees);
}
