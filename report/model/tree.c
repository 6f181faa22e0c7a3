/* SPDX-License-Identifier: MIT */
/* See tree.h. */
#include "report/model/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/model/tree_measures.h"

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
	hash_index_reserve(&tree->children, 1);
	tree_measures_init(tree);
}

void tree_fini(struct tree *tree)
{
	free(tree->nodes);
	tree_measures_fini(tree);
	free(tree->spots);
	hash_index_fini(&tree->children);
	idmap_fini(&tree->spots_at);
	timings_fini(&tree->timings);
}

void tree_reserve(struct tree *tree, size_t count)
{
	struct tree_node *nodes;

	hash_index_reserve(&tree->children, count);
	if (count <= tree->capacity)
		return;
	nodes = memory_large(count, sizeof(*nodes));
	memcpy(nodes, tree->nodes, tree->count * sizeof(*nodes));
	free(tree->nodes);
	tree->nodes = nodes;
	tree->capacity = count;
}

static uint32_t child_hash(uint32_t parent, uint32_t function)
{
	return hash_of_word((uint64_t)parent << 32 | function);
}

/*
 * Returns the child's slot in the index, which is empty if there is no child.
 */
static struct hash_slot *child_at(const struct tree *tree, uint32_t parent,
				  uint32_t function, uint32_t hash)
{
	struct hash_slot *at = hash_index_first(&tree->children, hash);

	while (at->item && (tree->nodes[at->item - 1].function != function ||
			    tree->nodes[at->item - 1].parent != parent))
		at = hash_index_next(&tree->children, hash, at);
	return at;
}

uint32_t tree_child(struct tree *tree, uint32_t parent, uint32_t function)
{
	const uint32_t hash = child_hash(parent, function);
	struct hash_slot *at;

	hash_index_reserve(&tree->children, tree->children.used + 1);
	at = child_at(tree, parent, function, hash);
	if (!at->item)
		hash_index_enter(
			&tree->children, at, hash,
			append(tree,
			       &(struct tree_node){
				       .parent = parent,
				       .function = function,
				       .depth = tree->nodes[parent].depth + 1,
			       }));
	return at->item - 1;
}

uint32_t tree_find(const struct tree *tree, uint32_t parent, uint32_t function)
{
	const struct hash_slot *at =
		child_at(tree, parent, function, child_hash(parent, function));

	return at->item ? at->item - 1 : TREE_ROOT;
}

void tree_prefetch_child(const struct tree *tree, uint32_t parent,
			 uint32_t function)
{
	hash_index_prefetch(&tree->children, child_hash(parent, function));
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

struct tree_sorting {
	const struct tree *tree;
	enum metric metric;
};

static int by_below(const void *left, const void *right, void *context)
{
	const struct tree_sorting *sorting = context;
	const struct tree *tree = sorting->tree;
	const uint32_t a = *(const uint32_t *)left;
	const uint32_t b = *(const uint32_t *)right;
	const uint64_t less = tree_below_of(tree, a, sorting->metric);
	const uint64_t more = tree_below_of(tree, b, sorting->metric);

	if (less != more)
		return less > more ? -1 : 1;
	if (tree->below[a] != tree->below[b])
		return tree->below[a] > tree->below[b] ? -1 : 1;
	return tree->nodes[a].function < tree->nodes[b].function
		       ? -1
		       : tree->nodes[a].function > tree->nodes[b].function;
}

void tree_order(const struct tree *tree, enum metric metric,
		struct tree_order *order)
{
	struct tree_sorting sorting = { .tree = tree, .metric = metric };
	uint32_t *first = memory_zeroed(tree->count + 2, sizeof(*first));
	uint32_t *children = memory_zeroed(tree->count, sizeof(*children));

	/*
	 * A counting sort by parent. first[n + 1] is the position of the next
	 * child of node n.
	 */
	for (size_t i = 1; i < tree->count; i++)
		first[tree->nodes[i].parent + 2]++;
	for (size_t i = 2; i < tree->count + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 1; i < tree->count; i++)
		children[first[tree->nodes[i].parent + 1]++] = (uint32_t)i;
	for (size_t i = 0; i < tree->count; i++)
		if (first[i + 1] - first[i] > 1)
			qsort_r(children + first[i], first[i + 1] - first[i],
				sizeof(*children), by_below, &sorting);
	*order = (struct tree_order){ .children = children, .first = first };
}

void tree_order_fini(struct tree_order *order)
{
	free(order->children);
	free(order->first);
}
