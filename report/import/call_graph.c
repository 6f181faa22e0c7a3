/* SPDX-License-Identifier: MIT */
/* See call_graph.h. */
#include "report/import/call_graph.h"

#include <stdlib.h>

#include "base/memory.h"

enum {
	/*
	 * A context whose costs are less than 1 / PARTS of all costs gets no
	 * callees, except those that have no other context.
	 */
	PARTS = 100000,
	UNFOLDED_MAX = 1 << 20, /* maximum number of contexts */
};

/* One context that is being unfolded. */
struct unfolding {
	uint32_t context;
	/* edge by which the context was reached, or UINT32_MAX */
	uint32_t edge;
	double share; /* the context's share of the function's whole activity */
};

struct unfolded {
	const struct call_graph *graph;
	struct import *import;
	struct import_process *process;
	/* for each caller, the index of its first edge in `by_caller` */
	uint32_t *first;
	uint32_t *by_caller; /* indices of the edges, sorted by caller */
	/* for each function, whether an edge that leads to it has a cost */
	uint8_t *has_cost;
	/* for each function, the weights of the edges that lead to it */
	double *incoming;
	/* Costs of each function with its callees. */
	double *totals;

	struct unfolding *items;
	size_t count, capacity;
	double all; /* sum of the own costs of all functions and of the calls */
	/* for each function, 1 + the index of its largest item, or 0 */
	uint32_t *largest;
	uint32_t *largest_of; /* the same for each edge */
};

void call_graph_fini(struct call_graph *graph)
{
	free(graph->edges);
	hash_index_fini(&graph->edge_at);
	for (size_t i = 0; i < WIRE_VALUES_MAX; i++)
		free(graph->own[i].items);
}

static void add_limited(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum) || *sum > WIRE_CALLS)
		*sum = WIRE_CALLS;
}

void call_graph_call(struct call_graph *graph, uint32_t caller, uint32_t callee,
		     uint64_t calls, uint64_t cost)
{
	const uint32_t hash = hash_of_word((uint64_t)caller << 32 | callee);
	struct graph_edge *edge;
	struct hash_slot *at;

	hash_index_reserve(&graph->edge_at, graph->edge_count + 1);
	at = hash_index_first(&graph->edge_at, hash);
	while (at->item) {
		edge = &graph->edges[at->item - 1];
		if (edge->caller == caller && edge->callee == callee)
			break;
		at = hash_index_next(&graph->edge_at, hash, at);
	}
	if (!at->item) {
		hash_index_enter(&graph->edge_at, at, hash, graph->edge_count);
		graph->edges =
			memory_grow(graph->edges, graph->edge_count,
				    &graph->edge_capacity, sizeof(*edge));
		edge = &graph->edges[graph->edge_count++];
		*edge = (struct graph_edge){ .caller = caller,
					     .callee = callee };
	}
	add_limited(&edge->calls, calls);
	import_limited_add(&edge->cost, cost);
}

/* ---- Sums ---- */

static uint64_t own_of(const struct call_graph *graph, size_t event,
		       uint32_t function)
{
	const struct import_column *own = &graph->own[event];

	return function < own->count ? own->items[function] : 0;
}

/*
 * Returns the cost of an edge by which activity is divided. If no edge to this
 * callee has a cost, its calls have a small one.
 */
static double weight_of(const struct unfolded *all,
			const struct graph_edge *edge)
{
	return all->has_cost[edge->callee] ? (double)edge->cost
					   : (double)edge->calls * 1e-3;
}

static void sum_up(struct unfolded *all)
{
	const struct call_graph *graph = all->graph;
	const size_t functions = all->import->function_count;

	all->first = memory_zeroed(functions + 2, sizeof(uint32_t));
	all->by_caller = memory_zeroed(graph->edge_count, sizeof(uint32_t));
	all->has_cost = memory_zeroed(functions + 1, 1);
	all->incoming = memory_zeroed(functions, sizeof(double));
	all->totals = memory_zeroed(functions, sizeof(double));

	all->largest = memory_zeroed(functions, sizeof(uint32_t));
	all->largest_of = memory_zeroed(graph->edge_count, sizeof(uint32_t));
	for (size_t i = 0; i < graph->edge_count; i++)
		all->has_cost[graph->edges[i].callee] |=
			graph->edges[i].cost > 0;
	for (size_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = &graph->edges[i];

		all->first[edge->caller + 2]++;
		all->incoming[edge->callee] += weight_of(all, edge);
		all->totals[edge->caller] += weight_of(all, edge);

		all->all += (double)edge->calls * 1e-3;
	}
	for (size_t i = 2; i < functions + 2; i++)
		all->first[i] += all->first[i - 1];
	for (size_t i = 0; i < graph->edge_count; i++)
		all->by_caller[all->first[graph->edges[i].caller + 1]++] =
			(uint32_t)i;
	for (uint32_t i = 0; i < functions; i++) {
		all->totals[i] += (double)own_of(graph, 0, i);
		all->all += (double)own_of(graph, 0, i);
	}
}

/* ---- Unfolding ---- */

/* Returns the new item's index; SIZE_MAX: there are too many contexts. */
static size_t add_item(struct unfolded *all, uint32_t parent, uint32_t function,
		       uint32_t edge, double share)
{
	const struct unfolding item = {
		.context = import_child(all->import, all->process, parent,
					function),
		.edge = edge,
		.share = share,
	};
	uint32_t *largest = &all->largest[function];

	if (item.context == 0)
		return SIZE_MAX;
	all->items = memory_grow(all->items, all->count, &all->capacity,
				 sizeof(item));
	all->items[all->count] = item;
	if (*largest == 0 || all->items[*largest - 1].share < share)
		*largest = (uint32_t)all->count + 1;
	if (edge != UINT32_MAX) {
		largest = &all->largest_of[edge];
		if (*largest == 0 || all->items[*largest - 1].share < share)
			*largest = (uint32_t)all->count + 1;
	}
	return all->count++;
}

static int unfold_item(struct unfolded *all, size_t index)
{
	const struct unfolding item = all->items[index];
	const uint32_t function = all->process->contexts[item.context].function;

	if (item.share * all->totals[function] < all->all / PARTS ||
	    all->count >= UNFOLDED_MAX ||
	    all->process->contexts[item.context].depth >= IMPORT_FRAMES_MAX)
		return 1;
	for (uint32_t i = all->first[function]; i < all->first[function + 1];
	     i++) {
		const uint32_t number = all->by_caller[i];
		const struct graph_edge *edge = &all->graph->edges[number];
		const double incoming = all->incoming[edge->callee];

		if (weight_of(all, edge) > 0 &&
		    add_item(all, item.context, edge->callee, number,
			     item.share * weight_of(all, edge) / incoming) ==
			    SIZE_MAX)
			return 0;
	}
	return 1;
}

static int unfold_from(struct unfolded *all, size_t index)
{
	for (; index < all->count; index++)
		if (!unfold_item(all, index))
			return 0;
	return 1;
}

/*
 * Adds a context of each function that is called from here and has none,
 * because its callers are too small.
 */
static int reach_rest(struct unfolded *all, size_t index)
{
	for (; index < all->count; index++) {
		const uint32_t context = all->items[index].context;
		const uint32_t function =
			all->process->contexts[context].function;

		if (all->largest[function] != index + 1)
			continue;
		for (uint32_t i = all->first[function];
		     i < all->first[function + 1]; i++) {
			const uint32_t edge = all->by_caller[i];
			const uint32_t callee = all->graph->edges[edge].callee;

			if (all->largest[callee] == 0 &&
			    weight_of(all, &all->graph->edges[edge]) > 0 &&
			    add_item(all, context, callee, edge, 1) == SIZE_MAX)
				return 0;
		}
	}
	return 1;
}

/*
 * Finds the outermost functions. These are the functions that nothing calls,
 * and one of each cycle of calls that no other function enters.
 */
static int unfold_roots(struct unfolded *all)
{
	const size_t functions = all->import->function_count;

	for (uint32_t i = 0; i < functions; i++)
		if (all->incoming[i] == 0 && all->totals[i] > 0 &&
		    add_item(all, 0, i, UINT32_MAX, 1) == SIZE_MAX)
			return 0;
	if (!unfold_from(all, 0) || !reach_rest(all, 0))
		return 0;
	for (uint32_t i = 0; i < functions; i++) {
		const size_t next = all->count;

		if (all->largest[i] == 0 && all->totals[i] > 0 &&
		    (add_item(all, 0, i, UINT32_MAX, 1) == SIZE_MAX ||
		     !unfold_from(all, next) || !reach_rest(all, next)))
			return 0;
	}
	return 1;
}

/* ---- Numbers ---- */

/* A number that is divided into parts. */
struct division {
	double share;   /* of the parts so far */
	uint64_t given; /* their sum */
};

/*
 * Returns the next part of a number. Rounds the sum of all parts so far, so
 * that the errors of parts do not add up.
 */
static uint64_t part_of(uint64_t whole, double share, struct division *division)
{
	uint64_t until, part;

	division->share += share;
	until = division->share < 1
			? (uint64_t)((double)whole * division->share + .5)
			: whole;
	if (until > whole)
		until = whole;
	part = until > division->given ? until - division->given : 0;
	division->given += part;
	return part;
}

static void divide_costs(const struct unfolded *all, size_t event)
{
	const size_t functions = all->import->function_count;
	struct division *divisions =
		memory_zeroed(functions + 1, sizeof(*divisions));

	for (size_t i = 0; i < all->count; i++) {
		const struct unfolding *item = &all->items[i];
		const uint32_t function =
			all->process->contexts[item->context].function;

		import_add(all->process, item->context, event,
			   part_of(own_of(all->graph, event, function),
				   item->share, &divisions[function]));
	}
	for (uint32_t i = 0; i < functions; i++) {
		const uint64_t rest =
			own_of(all->graph, event, i) - divisions[i].given;

		if (rest > 0 && all->largest[i])
			import_add(all->process,
				   all->items[all->largest[i] - 1].context,
				   event, rest);
	}
	free(divisions);
}

/* Returns a context for a pair that unfolding has not reached. */
static uint32_t pair_context(struct unfolded *all,
			     const struct graph_edge *edge)
{
	const uint32_t caller = all->largest[edge->caller];

	return import_child(all->import, all->process,
			    caller ? all->items[caller - 1].context
				   : import_child(all->import, all->process, 0,
						  edge->caller),
			    edge->callee);
}

/* Divides the calls of each edge in the same way as the caller's activity. */
static int divide_calls(struct unfolded *all)
{
	const struct call_graph *graph = all->graph;
	struct division *divisions =
		memory_zeroed(graph->edge_count + 1, sizeof(*divisions));
	int is_complete = 1;

	for (size_t i = 0; i < all->count; i++) {
		const struct unfolding *item = &all->items[i];
		const struct graph_edge *edge;

		if (item->edge == UINT32_MAX)
			continue;
		edge = &graph->edges[item->edge];
		/* The inverse of unfold_item(): the share of the caller. */
		all->process->contexts[item->context].calls +=
			part_of(edge->calls,
				item->share * all->incoming[edge->callee] /
					weight_of(all, edge),
				&divisions[item->edge]);
	}
	for (size_t i = 0; i < graph->edge_count && is_complete; i++) {
		const uint64_t rest =
			graph->edges[i].calls - divisions[i].given;
		uint32_t context;

		if (rest == 0)
			continue;
		context = all->largest_of[i]
				  ? all->items[all->largest_of[i] - 1].context
				  : pair_context(all, &graph->edges[i]);
		all->process->contexts[context].calls += rest;
		is_complete = context != 0;
	}
	free(divisions);
	return is_complete;
}

int call_graph_unfold(const struct call_graph *graph, struct import *import,
		      struct import_process *process)
{
	struct unfolded all = { .graph = graph,
				.import = import,
				.process = process };
	int is_complete;

	sum_up(&all);
	is_complete = unfold_roots(&all) && divide_calls(&all);
	for (size_t i = 0; is_complete && i < import->column_count; i++)
		divide_costs(&all, i);
	free(all.first);
	free(all.by_caller);
	free(all.has_cost);
	free(all.incoming);
	free(all.totals);
	free(all.items);
	free(all.largest);
	free(all.largest_of);
	return is_complete;
}
