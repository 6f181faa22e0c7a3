/* SPDX-License-Identifier: MIT */
/* See tree_measures.h. */
#include "report/model/tree_measures.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Creates record 0, which is shared by all nodes whose rare measures are 0. */
void tree_measures_init(struct tree *tree)
{
	tree->more =
		memory_grow(NULL, 0, &tree->more_capacity, sizeof(*tree->more));
	tree->more_below = memory_zeroed(1, sizeof(*tree->more_below));
	tree->more[0] = (struct tree_more){ 0 };
	tree->more_count = 1;
}

void tree_measures_fini(struct tree *tree)
{
	free(tree->below);
	free(tree->more_of);
	free(tree->more);
	free(tree->more_below);
}

/* Returns the rare measures of a node; creates the record if needed. */
static struct tree_more *more_at(struct tree *tree, uint32_t node)
{
	uint32_t *of;

	if (node >= tree->more_of_count) {
		uint32_t *all = memory_large(tree->capacity, sizeof(*all));

		if (tree->more_of)
			memcpy(all, tree->more_of,
			       tree->more_of_count * sizeof(*all));
		free(tree->more_of);
		tree->more_of = all;
		tree->more_of_count = tree->capacity;
	}
	of = &tree->more_of[node];
	if (*of == 0) {
		tree->more =
			memory_grow(tree->more, tree->more_count,
				    &tree->more_capacity, sizeof(*tree->more));
		tree->more[tree->more_count] = (struct tree_more){ 0 };
		*of = (uint32_t)tree->more_count++;
	}
	return &tree->more[*of];
}

void tree_add(struct tree *tree, uint32_t node, const struct measure *added)
{
	struct tree_more *more;

	tree->nodes[node].calls += added->calls;
	if (!(added->tails | added->ns | added->samples))
		return;
	more = more_at(tree, node);
	more->tails += added->tails;
	more->ns += added->ns;
	more->samples += added->samples;
}

void tree_forget_time(struct tree *tree)
{
	for (size_t i = 0; i < tree->more_count; i++)
		tree->more[i].ns = tree->more[i].samples = 0;
	for (size_t i = 0; i < tree->spot_count; i++)
		tree->spots[i].ns = tree->spots[i].samples = 0;
}

void tree_set_ns(struct tree *tree, uint32_t node, uint64_t ns)
{
	if (ns != tree_self(tree, node).ns)
		more_at(tree, node)->ns = ns;
}

void tree_set_calls(struct tree *tree, uint32_t node, uint64_t calls,
		    uint64_t tails)
{
	tree->nodes[node].calls = calls;
	if (tails != tree_self(tree, node).tails)
		more_at(tree, node)->tails = tails;
}

static void sum_calls(struct tree *tree)
{
	free(tree->below);
	tree->below = memory_large(tree->count, sizeof(*tree->below));
	for (size_t i = 0; i < tree->count; i++)
		tree->below[i] = tree->nodes[i].calls;
	for (size_t i = tree->count - 1; i > TREE_ROOT; i--)
		tree->below[tree->nodes[i].parent] += tree->below[i];
}

/*
 * Gives records to all ancestors of nodes that have one, since sums propagate.
 */
static void reach_ancestors(struct tree *tree)
{
	for (size_t i = tree->count - 1; i > TREE_ROOT; i--)
		if (tree_more_of(tree, i))
			more_at(tree, tree->nodes[i].parent);
}

static void sum_more(struct tree *tree)
{
	free(tree->more_below);
	tree->more_below =
		memory_zeroed(tree->more_count, sizeof(*tree->more_below));
	memcpy(tree->more_below, tree->more,
	       tree->more_count * sizeof(*tree->more_below));
	for (size_t i = tree->count - 1; i > TREE_ROOT; i--) {
		const uint32_t at = tree_more_of(tree, i);
		struct tree_more *above;

		if (!at)
			continue;
		above = &tree->more_below[tree_more_of(tree,
						       tree->nodes[i].parent)];
		above->tails += tree->more_below[at].tails;
		above->ns += tree->more_below[at].ns;
		above->samples += tree->more_below[at].samples;
	}
}

void tree_sum(struct tree *tree)
{
	sum_calls(tree);
	if (tree->more_count == 1)
		return;
	reach_ancestors(tree);
	sum_more(tree);
}
