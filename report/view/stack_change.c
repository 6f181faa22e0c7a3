/* SPDX-License-Identifier: MIT */
/* See stack_change.h. */
#include "report/view/stack_change.h"

#include "base/memory.h"

void stack_change(struct stack_change *change, const struct tree *tree,
		  uint32_t from, uint32_t to, stack_step *leave,
		  stack_step *enter, void *context)
{
	const struct tree_node *nodes = tree->nodes;
	size_t length = 0;

	while (from != to) {
		if (nodes[from].depth >= nodes[to].depth) {
			leave(context, from);
			from = nodes[from].parent;
			continue;
		}
		change->path =
			memory_grow(change->path, length, &change->capacity,
				    sizeof(*change->path));
		change->path[length++] = to;
		to = nodes[to].parent;
	}
	while (length > 0)
		enter(context, change->path[--length]);
}
