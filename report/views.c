/* SPDX-License-Identifier: MIT */
#include "report/views.h"

#include <stdlib.h>

#include "base/memory.h"

void tree_keep(const struct tree *tree, const uint8_t *keep, struct tree *kept)
{
	uint32_t *moved = memory_zeroed(tree->count, sizeof(*moved));

	tree_init(kept);
	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];

		moved[i] = moved[node->parent];
		if (!keep[node->function])
			continue;
		moved[i] = tree_child(kept, moved[i], node->function);
		kept->nodes[moved[i]].calls += node->calls;
		kept->nodes[moved[i]].is_tail |= node->is_tail;
	}
	free(moved);
	tree_sum(kept);
}

/* Enters the chain of callers of one node. */
static void add_chain(const struct tree *tree, const struct tree_node *node,
		      uint32_t depth, struct tree *callers)
{
	uint32_t at = tree_child(callers, TREE_ROOT, node->function);
	uint64_t calls = node->calls;

	while (node->parent != TREE_ROOT && --depth > 0) {
		node = &tree->nodes[node->parent];
		at = tree_child(callers, at, node->function);
	}
	callers->nodes[at].calls += calls;
}

void tree_callers(const struct tree *tree, const uint8_t *chosen,
		  uint32_t depth, struct tree *callers)
{
	tree_init(callers);
	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];

		/* Depth 0 wraps round: no chain is that long. */
		if (node->calls > 0 && chosen[node->function])
			add_chain(tree, node, depth, callers);
	}
	tree_sum(callers);
}
