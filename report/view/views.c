/* SPDX-License-Identifier: MIT */
/* See views.h. */
#include "report/view/views.h"

#include <stdlib.h>

#include "base/memory.h"

static void keep_node(struct tree *kept, uint32_t *at,
		      const struct tree_node *node, const struct measure *self)
{
	struct tree_node *copy;

	*at = tree_child(kept, *at, node->function);
	copy = &kept->nodes[*at];
	tree_add(kept, *at, self);
	if (copy->site == 0) {
		copy->site = node->site;
		copy->is_return_site = node->is_return_site;
	}
	copy->is_context |= node->is_context;
}

void tree_keep(const struct tree *tree, const uint8_t *keep, struct tree *kept)
{
	uint32_t *moved = memory_zeroed(tree->count, sizeof(*moved));

	tree_init(kept);
	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		struct measure self = tree_self(tree, i);

		moved[i] = moved[node->parent];
		if (keep[node->function]) {
			keep_node(kept, &moved[i], node, &self);
			continue;
		}
		/*
		 * The time of an omitted function goes to its nearest kept
		 * caller.
		 */
		self.calls = self.tails = 0;
		tree_add(kept, moved[i], &self);
	}
	timings_init(&kept->timings, &tree->timings, kept->count);
	for (size_t i = 1; i < tree->count; i++) {
		if (keep[tree->nodes[i].function])
			timings_move(&kept->timings, moved[i], &tree->timings,
				     (uint32_t)i);
	}
	for (size_t i = 0; i < tree->spot_count; i++) {
		const struct tree_spot *spot = &tree->spots[i];

		if (keep[tree->nodes[spot->node].function])
			tree_add_spot(kept, moved[spot->node], spot->site,
				      spot->ns, spot->samples);
	}
	free(moved);
	tree_sum(kept);
}

static int has_any(const struct measure *measure)
{
	return measure->calls > 0 || measure->ns > 0;
}

/* Adds the chain of callers of one node. */
static void add_chain(const struct tree *tree, const struct tree_node *node,
		      const struct measure *self, uint32_t depth,
		      struct tree *callers)
{
	uint32_t at = tree_child(callers, TREE_ROOT, node->function);

	while (node->parent != TREE_ROOT && --depth > 0) {
		node = &tree->nodes[node->parent];
		at = tree_child(callers, at, node->function);
	}
	tree_add(callers, at, self);
}

void tree_callers(const struct tree *tree, const uint8_t *chosen,
		  uint32_t depth, struct tree *callers)
{
	tree_init(callers);
	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const struct measure self = tree_self(tree, i);

		/*
		 * A depth of 0 wraps around to a limit that no chain reaches.
		 */
		if (has_any(&self) && chosen[node->function])
			add_chain(tree, node, &self, depth, callers);
	}
	tree_sum(callers);
}
