/* SPDX-License-Identifier: MIT */
/* See tree_walk.h. */
#include "report/model/tree_walk.h"

#include <stdlib.h>

#include "base/memory.h"

void tree_walk_init(struct tree_walk *walk, const struct tree *tree,
		    enum metric metric)
{
	*walk = (struct tree_walk){ .tree = tree, .node = TREE_ROOT };
	tree_order(tree, metric, &walk->order);
	walk->next = memory_grow(NULL, 0, &walk->capacity, sizeof(*walk->next));
	walk->next[0] = walk->order.first[TREE_ROOT];
}

void tree_walk_fini(struct tree_walk *walk)
{
	tree_order_fini(&walk->order);
	free(walk->next);
}

static enum tree_step enter(struct tree_walk *walk, uint32_t node)
{
	walk->node = node;
	walk->entered++;
	walk->next = memory_grow(walk->next, ++walk->depth, &walk->capacity,
				 sizeof(*walk->next));
	walk->next[walk->depth] = walk->order.first[node];
	return TREE_ENTER;
}

enum tree_step tree_walk_next(struct tree_walk *walk)
{
	const struct tree_node *nodes = walk->tree->nodes;
	uint32_t at = walk->node;

	/*
	 * The last step has left this node, so its parent is the current node.
	 */
	if (nodes[at].depth > walk->depth)
		at = nodes[at].parent;
	if (walk->next[walk->depth] < walk->order.first[at + 1])
		return enter(walk,
			     walk->order.children[walk->next[walk->depth]++]);
	if (walk->depth == 0)
		return TREE_END;
	walk->node = at;
	walk->depth--;
	return TREE_LEAVE;
}
