/* SPDX-License-Identifier: MIT */
/*
 * Turns a graph of callers and callees, as callgrind.out contains it, into
 * contexts.
 *
 * The graph has each function's own costs, and for each pair of caller and
 * callee the calls and the inclusive costs. Which callers were active around
 * the pair is not known. A function's activity is therefore divided among its
 * contexts in the proportion of the inclusive costs with which each caller
 * called it, as gprof does. A context ends where its share is very small.
 *
 * The remainder, which rounding and these ends omit, is added to the largest
 * context of the function or the pair. The sums of each function and each pair
 * are thus exact.
 */
#ifndef CLEW_IMPORT_CALL_GRAPH_H
#define CLEW_IMPORT_CALL_GRAPH_H

#include "report/import/import.h"

struct graph_edge {
	uint32_t caller, callee; /* numbers of functions in the import */
	/* cost is the inclusive cost by the first event */
	uint64_t calls, cost;
};

/* The caller sets all members to 0 before use. */
struct call_graph {
	struct graph_edge *edges;
	size_t edge_count, edge_capacity;
	struct hash_index edge_at;
	/* Own costs of functions, by event. */
	struct import_column own[WIRE_VALUES_MAX];
};

void call_graph_fini(struct call_graph *graph);

/* Adds to an edge; creates it if needed. */
void call_graph_call(struct call_graph *graph, uint32_t caller, uint32_t callee,
		     uint64_t calls, uint64_t cost);

/* Creates the contexts of the process. Returns 0 if there are too many. */
int call_graph_unfold(const struct call_graph *graph, struct import *import,
		      struct import_process *process);

#endif
