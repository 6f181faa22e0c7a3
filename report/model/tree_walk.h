/* SPDX-License-Identifier: MIT */
/*
 * Visits a tree depth first: callers before callees, the largest subtree first.
 */
#ifndef CLEW_MODEL_TREE_WALK_H
#define CLEW_MODEL_TREE_WALK_H

#include "report/model/tree.h"

enum tree_step { TREE_END, TREE_ENTER, TREE_LEAVE };

struct tree_walk {
	const struct tree *tree;
	struct tree_order order;
	/* for each depth, the next position in order.children */
	uint32_t *next;
	size_t capacity;
	uint32_t depth; /* depth of the current node */
	uint32_t node;  /* the node that the last step entered or left */
	size_t entered; /* number of entered nodes */
};

/*
 * Begins a walk. The caller has called tree_sum(). The tree must not change,
 * and must outlive the walk.
 */
void tree_walk_init(struct tree_walk *walk, const struct tree *tree,
		    enum metric metric);
void tree_walk_fini(struct tree_walk *walk);

/*
 * Takes the next step of the walk, which enters and leaves each node except the
 * root once.
 */
enum tree_step tree_walk_next(struct tree_walk *walk);

#endif
