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

#include "base/hash_index.h"
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

/* What subtrees are compared by. */
enum metric { METRIC_CALLS, METRIC_TIME };

static inline uint64_t measure_of(const struct measure *measure,
				  enum metric metric)
{
	return metric == METRIC_TIME ? measure->ns : measure->calls;
}

static inline void measure_add(struct measure *to, const struct measure *more)
{
	to->calls += more->calls;
	to->tails += more->tails;
	to->ns += more->ns;
	to->samples += more->samples;
}

/* Of ten million nodes each byte counts: what most have none of is elsewhere. */
struct tree_node {
	uint64_t calls; /* of exactly this context */
	uint32_t parent;
	uint32_t function;  /* in the catalog */
	uint32_t depth;     /* 0 for the root */
	uint32_t site : 30; /* of its first call, in the catalog; 0: unknown */
	uint32_t is_return_site : 1; /* the site is where a call returns to */
	uint32_t is_context : 1; /* was recorded: no frame that samples found */
};
_Static_assert(sizeof(struct tree_node) == 24, "small");

/* What a node has beside calls; or all that is below it, itself included. */
struct tree_more {
	uint64_t tails, ns, samples;
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
	struct hash_index children; /* of each (parent, function): the node */
	uint64_t *below;            /* calls, by node; NULL until tree_sum() */
	/* By node: where in `more` what it has more is; 0: it has no more. */
	uint32_t *more_of;
	size_t more_of_count; /* nodes that have been asked for; may be fewer */
	struct tree_more *more, *more_below;
	size_t more_count, more_capacity;
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

void tree_init(struct tree *tree);
void tree_fini(struct tree *tree);

/* Makes room for so many nodes in all. */
void tree_reserve(struct tree *tree, size_t count);

static inline uint32_t tree_more_of(const struct tree *tree, size_t node)
{
	return node < tree->more_of_count ? tree->more_of[node] : 0;
}

/* Of exactly this node. */
static inline struct measure tree_self(const struct tree *tree, size_t node)
{
	const struct tree_more *more = &tree->more[tree_more_of(tree, node)];

	return (struct measure){ .calls = tree->nodes[node].calls,
				 .tails = more->tails,
				 .ns = more->ns,
				 .samples = more->samples };
}

/* Of the whole subtree, the node included. Needs tree_sum(). */
static inline struct measure tree_below(const struct tree *tree, size_t node)
{
	const struct tree_more *more =
		&tree->more_below[tree_more_of(tree, node)];

	return (struct measure){ .calls = tree->below[node],
				 .tails = more->tails,
				 .ns = more->ns,
				 .samples = more->samples };
}

static inline uint64_t tree_self_of(const struct tree *tree, size_t node,
				    enum metric metric)
{
	return metric == METRIC_TIME ? tree->more[tree_more_of(tree, node)].ns
				     : tree->nodes[node].calls;
}

static inline uint64_t tree_below_of(const struct tree *tree, size_t node,
				     enum metric metric)
{
	return metric == METRIC_TIME
		       ? tree->more_below[tree_more_of(tree, node)].ns
		       : tree->below[node];
}

/* Adds to what is a node's own; what is below is wrong until tree_sum(). */
void tree_add(struct tree *tree, uint32_t node, const struct measure *more);

/* Sets the time and the samples of all nodes to 0. Before tree_sum(). */
void tree_forget_time(struct tree *tree);

/* Set what may become less: its time; its calls, and which of them are tail calls. */
void tree_set_ns(struct tree *tree, uint32_t node, uint64_t ns);
void tree_set_calls(struct tree *tree, uint32_t node, uint64_t calls,
		    uint64_t tails);

/* The child of `parent` for this function (not 0), made if need be. */
uint32_t tree_child(struct tree *tree, uint32_t parent, uint32_t function);

/* The same if it is there, else TREE_ROOT. */
uint32_t tree_find(const struct tree *tree, uint32_t parent, uint32_t function);

/* Worth it some ten children ahead, in a large tree. */
void tree_prefetch_child(const struct tree *tree, uint32_t parent,
			 uint32_t function);

/* Adds to a node's spot; the node's measure is not changed. */
void tree_add_spot(struct tree *tree, uint32_t node, uint32_t site, uint64_t ns,
		   uint64_t samples);

/* Sums up what is below each node. */
void tree_sum(struct tree *tree);

/* Sorted by `below`, descending, then by function. Needs tree_sum(). */
void tree_order(const struct tree *tree, enum metric metric,
		struct tree_order *order);
void tree_order_fini(struct tree_order *order);

#endif
