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
#ifndef CLEW_REPORT_TREE_H
#define CLEW_REPORT_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"

#define TREE_ROOT 0

struct tree_node {
	uint64_t calls; /* of exactly this context */
	uint64_t below; /* calls of the whole subtree, this node included */
	uint32_t parent;
	uint32_t function; /* in the catalog */
	uint32_t depth;    /* 0 for the root */
	uint8_t is_tail;   /* entered by a tail call, the first time at least */
};

struct tree {
	struct tree_node *nodes; /* nodes[TREE_ROOT] is nobody's function */
	size_t count, capacity;
	struct idmap children; /* parent << 32 | function -> node */
};

/* The children of each node, as tree_order() sorts them. */
struct tree_order {
	uint32_t *children; /* of node n: [first[n], first[n + 1]) */
	uint32_t *first;
};

void tree_init(struct tree *tree);
void tree_fini(struct tree *tree);

/* The child of `parent` for this function (not 0), made if need be. */
uint32_t tree_child(struct tree *tree, uint32_t parent, uint32_t function);

/* Fills in `below` of all nodes. */
void tree_sum(struct tree *tree);

/* Sorted by `below`, descending, then by function. Needs tree_sum(). */
void tree_order(const struct tree *tree, struct tree_order *order);
void tree_order_fini(struct tree_order *order);

#endif
