/* SPDX-License-Identifier: MIT */
#include "report/model/tree.h"

#include <stdlib.h>

#include "base/memory.h"

static uint32_t append(struct tree *tree, const struct tree_node *node)
{
	tree->nodes = memory_grow(tree->nodes, tree->count, &tree->capacity,
				  sizeof(*tree->nodes));
	tree->nodes[tree->count] = *node;
	return (uint32_t)tree->count++;
}

void tree_init(struct tree *tree)
{
	*tree = (struct tree){ 0 };
	append(tree, &(struct tree_node){ 0 });
}

void tree_fini(struct tree *tree)
{
	free(tree->nodes);
	free(tree->spots);
	idmap_fini(&tree->children);
	idmap_fini(&tree->spots_at);
	timings_fini(&tree->timings);
}

uint32_t tree_child(struct tree *tree, uint32_t parent, uint32_t function)
{
	uint64_t *slot =
		idmap_at(&tree->children, (uint64_t)parent << 32 | function);

	if (*slot == 0)
		*slot = append(tree,
			       &(struct tree_node){
				       .parent = parent,
				       .function = function,
				       .depth = tree->nodes[parent].depth + 1,
			       });
	return (uint32_t)*slot;
}

uint32_t tree_find(const struct tree *tree, uint32_t parent, uint32_t function)
{
	const uint64_t *slot =
		idmap_find(&tree->children, (uint64_t)parent << 32 | function);

	return slot ? (uint32_t)*slot : TREE_ROOT;
}

void tree_add_spot(struct tree *tree, uint32_t node, uint32_t site, uint64_t ns,
		   uint64_t samples)
{
	uint64_t *slot = idmap_at(&tree->spots_at, (uint64_t)node << 32 | site);

	if (*slot == 0) {
		tree->spots =
			memory_grow(tree->spots, tree->spot_count,
				    &tree->spot_capacity, sizeof(*tree->spots));
		tree->spots[tree->spot_count] = (struct tree_spot){
			.node = node,
			.site = site,
		};
		*slot = ++tree->spot_count;
	}
	tree->spots[*slot - 1].ns += ns;
	tree->spots[*slot - 1].samples += samples;
}

void tree_sum(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		tree->nodes[i].below = tree->nodes[i].self;
	for (size_t i = tree->count - 1; i > TREE_ROOT; i--)
		measure_add(&tree->nodes[tree->nodes[i].parent].below,
			    &tree->nodes[i].below);
}

struct tree_sorting {
	const struct tree_node *nodes;
	enum metric metric;
};

static int by_below(const void *left, const void *right, void *context)
{
	const struct tree_sorting *sorting = context;
	const struct tree_node *a = &sorting->nodes[*(const uint32_t *)left];
	const struct tree_node *b = &sorting->nodes[*(const uint32_t *)right];
	uint64_t less = measure_of(&a->below, sorting->metric);
	uint64_t more = measure_of(&b->below, sorting->metric);

	if (less != more)
		return less > more ? -1 : 1;
	if (a->below.calls != b->below.calls)
		return a->below.calls > b->below.calls ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

void tree_order(const struct tree *tree, enum metric metric,
		struct tree_order *order)
{
	struct tree_sorting sorting = { .nodes = tree->nodes,
					.metric = metric };
	uint32_t *first = memory_zeroed(tree->count + 2, sizeof(*first));
	uint32_t *children = memory_zeroed(tree->count, sizeof(*children));

	/* Counting sort by parent; first[n + 1] is where n's next one goes. */
	for (size_t i = 1; i < tree->count; i++)
		first[tree->nodes[i].parent + 2]++;
	for (size_t i = 2; i < tree->count + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 1; i < tree->count; i++)
		children[first[tree->nodes[i].parent + 1]++] = (uint32_t)i;
	for (size_t i = 0; i < tree->count; i++)
		qsort_r(children + first[i], first[i + 1] - first[i],
			sizeof(*children), by_below, &sorting);
	*order = (struct tree_order){ .children = children, .first = first };
}

void tree_order_fini(struct tree_order *order)
{
	free(order->children);
	free(order->first);
}
