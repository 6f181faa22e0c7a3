/* SPDX-License-Identifier: MIT */
/*
 * A tree of calling contexts.
 *
 * A node is a function reached by one particular chain of callers. Children
 * are appended, never moved, so a parent's index is always smaller than its
 * child's: sums go up the tree in one backward pass over the array, and copies
 * go down it in one forward pass. Nothing here recurses, for the trees of
 * recursive programs are as deep as those programs.
 */
#ifndef CLEW_MODEL_TREE_H
#define CLEW_MODEL_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "report/model/call_times.h"

#define TREE_ROOT 0

/* What was measured: exact calls, and time with how sure it is. */
struct measure {
	uint64_t calls;
	uint64_t tails;   /* of these: tail calls */
	uint64_t ns;      /* of CPU or wall time, as the recording says */
	uint64_t samples; /* that the time was estimated from; 0: none */
};

static inline void measure_add(struct measure *to, const struct measure *more)
{
	to->calls += more->calls;
	to->tails += more->tails;
	to->ns += more->ns;
	to->samples += more->samples;
}

struct tree_node {
	struct measure self;  /* of exactly this context */
	struct measure below; /* of the whole subtree, this node included */
	uint32_t parent;
	uint32_t function; /* in the catalog */
	uint32_t depth;    /* 0 for the root */
	uint32_t site;     /* of its first call, in the catalog; 0: unknown */
	uint8_t is_return_site; /* the site is where a call returns to */
	uint8_t is_context;     /* was recorded: no frame that samples found */
};

/* Where in a node's own code its samples fell. */
struct tree_spot {
	uint32_t node;
	uint32_t site; /* of the catalog, never 0 */
	uint64_t ns;
	uint64_t samples;
};

struct tree {
	struct tree_node *nodes; /* nodes[TREE_ROOT] is nobody's function */
	size_t count, capacity;
	struct idmap children;   /* parent << 32 | function -> node */
	struct tree_spot *spots; /* each (node, site) once, in no order */
	size_t spot_count, spot_capacity;
	struct idmap spots_at; /* node << 32 | site -> spot + 1 */
	/* Where each call was timed; not of a tree with inlined functions. */
	struct timings timings;
};

/* The children of each node, as tree_order() sorts them. */
struct tree_order {
	uint32_t *children; /* of node n: [first[n], first[n + 1]) */
	uint32_t *first;
};

/* What subtrees are compared by. */
enum metric { METRIC_CALLS, METRIC_TIME };

static inline uint64_t measure_of(const struct measure *measure,
				  enum metric metric)
{
	return metric == METRIC_TIME ? measure->ns : measure->calls;
}

void tree_init(struct tree *tree);
void tree_fini(struct tree *tree);

/* The child of `parent` for this function (not 0), made if need be. */
uint32_t tree_child(struct tree *tree, uint32_t parent, uint32_t function);

/* The same if it is there, else TREE_ROOT. */
uint32_t tree_find(const struct tree *tree, uint32_t parent, uint32_t function);

/* Adds to a node's spot; the node's measure is not changed. */
void tree_add_spot(struct tree *tree, uint32_t node, uint32_t site, uint64_t ns,
		   uint64_t samples);

/* Fills in `below` of all nodes. */
void tree_sum(struct tree *tree);

/* Sorted by `below`, descending, then by function. Needs tree_sum(). */
void tree_order(const struct tree *tree, enum metric metric,
		struct tree_order *order);
void tree_order_fini(struct tree_order *order);

#endif
