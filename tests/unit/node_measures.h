/* SPDX-License-Identifier: MIT */
/* Returns the measures of a node, given its address instead of its number. */
#ifndef CLEW_TESTS_NODE_MEASURES_H
#define CLEW_TESTS_NODE_MEASURES_H

#include "report/model/tree.h"

static inline uint32_t node_number(const struct tree *tree,
				   const struct tree_node *node)
{
	return (uint32_t)(node - tree->nodes);
}

static inline struct measure node_self(const struct tree *tree,
				       const struct tree_node *node)
{
	return tree_self(tree, node_number(tree, node));
}

static inline struct measure node_below(const struct tree *tree,
					const struct tree_node *node)
{
	return tree_below(tree, node_number(tree, node));
}

#endif
