/* SPDX-License-Identifier: MIT */
/*
 * A tree of calling contexts.
 *
 * A node is a function reached by one chain of callers. Children are appended
 * and never move, so a parent's index is always smaller than its children's.
 * Sums are computed in one backward pass over the array, and copies in one
 * forward pass. No function here recurses, because trees of recursive programs
 * are as deep as their stacks.
 */
#ifndef CLEW_MODEL_TREE_H
#define CLEW_MODEL_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "base/idmap.h"
#include "report/model/call_times.h"

#define TREE_ROOT 0

/* Exact calls, and a time with the number of samples it is estimated from. */
struct measure {
	uint64_t calls;
	uint64_t tails; /* the tail calls among `calls` */
	/* CPU or wall time, as the recording has it; or an agent's value */
	uint64_t ns;
	/* number of samples; 0 if the time is not estimated */
	uint64_t samples;
};

/* The measure by which subtrees are compared. */
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

/*
 * Trees have up to ten million nodes, so values that are mostly 0 are stored in
 * tree_more.
 */
struct tree_node {
	uint64_t calls; /* calls of this context alone */
	uint32_t parent;
	uint32_t function; /* index in the catalog */
	uint32_t depth;    /* 0 for the root */
	/*
	 * site of its first call, as an index in the catalog; 0 if it is
	 * unknown
	 */
	uint32_t site : 30;
	uint32_t is_return_site : 1; /* the site is a return address */
	/*
	 * 1 if the context was recorded; 0 for a frame that only samples show
	 */
	uint32_t is_context : 1;
};
_Static_assert(sizeof(struct tree_node) == 24, "small");

/* Rare measures of a node, or of its whole subtree. */
struct tree_more {
	uint64_t tails, ns, samples;
};

/* Samples at one site in a node's own code. */
struct tree_spot {
	uint32_t node;
	uint32_t site; /* index in the catalog, never 0 */
	uint64_t ns;
	uint64_t samples;
};

struct tree {
	struct tree_node *nodes; /* nodes[TREE_ROOT] is no function */
	size_t count, capacity;
	/* finds a node by its parent and function */
	struct hash_index children;
	uint64_t *below; /* sums of calls, by node; NULL until tree_sum() */
	/*
	 * For each node, the index of its values in `more`, or 0 if all of them
	 * are 0.
	 */
	uint32_t *more_of;
	size_t more_of_count; /* length of `more_of`; may be less than count */
	struct tree_more *more, *more_below;
	size_t more_count, more_capacity;
	struct tree_spot *spots; /* each (node, site) once, in no order */
	size_t spot_count, spot_capacity;
	struct idmap spots_at; /* maps node << 32 | site to 1 + the spot */
	/*
	 * The times of calls; empty unless each call was timed. Of derived
	 * trees, only those of tree_keep(), tree_inline() and tree_transform()
	 * have them.
	 */
	struct timings timings;
};

/* The children of each node, as tree_order() sorts them. */
struct tree_order {
	/* the children of node n are [first[n], first[n + 1]) */
	uint32_t *children;
	uint32_t *first;
};

void tree_init(struct tree *tree);
void tree_fini(struct tree *tree);

/* Allocates memory for `count` nodes in total. */
void tree_reserve(struct tree *tree, size_t count);

static inline uint32_t tree_more_of(const struct tree *tree, size_t node)
{
	return node < tree->more_of_count ? tree->more_of[node] : 0;
}

/* Returns the measures of this node alone. */
static inline struct measure tree_self(const struct tree *tree, size_t node)
{
	const struct tree_more *more = &tree->more[tree_more_of(tree, node)];

	return (struct measure){ .calls = tree->nodes[node].calls,
				 .tails = more->tails,
				 .ns = more->ns,
				 .samples = more->samples };
}

/* Returns the sums of a subtree, its root included. Call tree_sum() before. */
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

/*
 * Adds to the node's own measures. Sums of subtrees are invalid until
 * tree_sum().
 */
void tree_add(struct tree *tree, uint32_t node, const struct measure *more);

/* Sets the time and samples of all nodes to 0. Call it before tree_sum(). */
void tree_forget_time(struct tree *tree);

/* Set values that may also decrease: the time, or the calls and tail calls. */
void tree_set_ns(struct tree *tree, uint32_t node, uint64_t ns);
void tree_set_calls(struct tree *tree, uint32_t node, uint64_t calls,
		    uint64_t tails);

/*
 * Returns the child of `parent` for this function (not 0); creates it if
 * needed.
 */
uint32_t tree_child(struct tree *tree, uint32_t parent, uint32_t function);

/* Like tree_child(), but creates none: returns TREE_ROOT if there is none. */
uint32_t tree_find(const struct tree *tree, uint32_t parent, uint32_t function);

/*
 * Prefetches what tree_child() reads. In a large tree this is worth it about
 * ten children in advance.
 */
void tree_prefetch_child(const struct tree *tree, uint32_t parent,
			 uint32_t function);

/* Adds to a node's spot. Does not change the node's measures. */
void tree_add_spot(struct tree *tree, uint32_t node, uint32_t site, uint64_t ns,
		   uint64_t samples);

/* Computes the sums of all subtrees. */
void tree_sum(struct tree *tree);

/*
 * Sorts children by their sums, descending, then by their sums of calls,
 * descending, then by function. Call tree_sum() before.
 */
void tree_order(const struct tree *tree, enum metric metric,
		struct tree_order *order);
void tree_order_fini(struct tree_order *order);

#endif
