/* SPDX-License-Identifier: MIT */
/* See prune.h. */
#include "report/view/prune.h"

#include <stdlib.h>

#include "base/memory.h"

/* A context, for sorting. */
struct prune_size {
	double share;
	uint32_t node;
};

/* ---- Which contexts remain ---- */

static double share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/*
 * Compares for sorting: larger contexts first, and callers before callees of
 * equal size, as in the tree.
 */
static int by_share(const void *left, const void *right)
{
	const struct prune_size *a = left, *b = right;

	if (a->share != b->share)
		return a->share < b->share ? 1 : -1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static struct prune_size *sorted_sizes(const struct tree *tree)
{
	const struct measure all = tree_below(tree, TREE_ROOT);
	struct prune_size *sizes = memory_zeroed(tree->count, sizeof(*sizes));

	for (size_t i = 1; i < tree->count; i++) {
		const struct measure below = tree_below(tree, i);
		const double calls = share_of(below.calls, all.calls);
		const double time = share_of(below.ns, all.ns);

		sizes[i - 1] = (struct prune_size){
			.share = calls > time ? calls : time,
			.node = (uint32_t)i,
		};
	}
	qsort(sizes, tree->count - 1, sizeof(*sizes), by_share);
	return sizes;
}

/* Returns the number of samples of each node, without those of callees. */
static uint32_t *sample_counts(const struct tree *tree)
{
	uint32_t *counts = memory_zeroed(tree->count, sizeof(*counts));

	for (size_t i = 1; i < tree->count; i++) {
		const struct measure self = tree_self(tree, i);

		counts[i] = self.calls > 0 || self.ns > 0;
	}
	for (size_t i = 0; i < tree->spot_count; i++)
		counts[tree->spots[i].node] += tree->spots[i].ns > 0;
	return counts;
}

static int is_small(const struct tree *tree, const uint32_t *counts,
		    size_t limit)
{
	size_t all = 0;

	for (size_t i = 1; i < tree->count; i++)
		all += counts[i];
	return all <= limit;
}

/*
 * Returns a 1 for each node that remains. Each of them may get one more child,
 * which has one sample, and so may the root.
 */
static uint8_t *choose(const struct tree *tree, const uint32_t *counts,
		       size_t limit)
{
	uint8_t *remains = memory_zeroed(tree->count, 1);
	struct prune_size *sizes = sorted_sizes(tree);
	size_t used = 1;

	remains[TREE_ROOT] = 1;
	for (size_t i = 0; i + 1 < tree->count; i++) {
		const uint32_t node = sizes[i].node;

		/* A node is removed if its caller is removed. */
		if (!remains[tree->nodes[node].parent])
			continue;
		if (used + counts[node] + 1 > limit)
			break;
		used += counts[node] + 1;
		remains[node] = 1;
	}
	free(sizes);
	return remains;
}

/* ---- The copy ---- */

static uint32_t copy_node(struct tree *to, uint32_t parent,
			  const struct tree_node *node)
{
	const uint32_t made = tree_child(to, parent, node->function);
	struct tree_node *copy = &to->nodes[made];

	copy->site = node->site;
	copy->is_return_site = node->is_return_site;
	copy->is_context = node->is_context;
	return made;
}

static void copy_tree(const struct tree *tree, const uint8_t *remains,
		      uint32_t other, struct pruned *pruned)
{
	uint32_t *moved = memory_zeroed(tree->count, sizeof(*moved));
	struct tree *to = &pruned->tree;

	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const struct measure self = tree_self(tree, i);

		if (remains[i]) {
			moved[i] = copy_node(to, moved[node->parent], node);
			tree_add(to, moved[i], &self);
			continue;
		}
		moved[i] = moved[node->parent];
		if (self.calls == 0 && self.ns == 0)
			continue;
		if (remains[node->parent] ||
		    to->nodes[moved[i]].function != other)
			moved[i] = tree_child(to, moved[i], other);
		tree_add(to, moved[i], &self);
		measure_add(&pruned->removed, &self);
		pruned->contexts++;
	}
	for (size_t i = 0; i < tree->spot_count; i++) {
		const struct tree_spot *spot = &tree->spots[i];

		if (remains[spot->node] && spot->ns > 0)
			tree_add_spot(to, moved[spot->node], spot->site,
				      spot->ns, spot->samples);
	}
	free(moved);
}

int prune_tree(const struct tree *tree, struct catalog *catalog, size_t limit,
	       struct pruned *pruned)
{
	uint32_t *counts = sample_counts(tree);
	uint8_t *remains;
	int is_pruned = !is_small(tree, counts, limit);

	*pruned = (struct pruned){ .contexts = 0 };
	if (is_pruned) {
		remains = choose(tree, counts, limit);
		tree_init(&pruned->tree);
		copy_tree(tree, remains,
			  catalog_named(catalog, KIND_NOTE, CATALOG_NO_MODULE,
					PRUNED_NAME),
			  pruned);
		tree_sum(&pruned->tree);
		free(remains);
	}
	free(counts);
	return is_pruned;
}
