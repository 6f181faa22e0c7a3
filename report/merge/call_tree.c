/* SPDX-License-Identifier: MIT */
/* See call_tree.h. */
#include "report/merge/call_tree.h"

#include <stdlib.h>

#include "base/memory.h"

enum { SLOTS_LOG2 = 12 };

static size_t home_of(const struct call_tree *tree, const struct call_key *key)
{
	uint64_t hash = key->site;

	hash = (hash ^ ((uint64_t)key->parent << 32 | key->function)) *
	       UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 32 ^ key->values) * UINT64_C(0xd1342543de82ef95);
	return (size_t)(hash >> (64 - tree->log2));
}

static int is_same(const struct call_key *one, const struct call_key *other)
{
	return one->site == other->site && one->function == other->function &&
	       one->values == other->values && one->parent == other->parent;
}

/*
 * Returns the slot with 1 + the index of the node with this key or, if there is
 * no such node, the free slot for it.
 */
static uint32_t *slot_of(const struct call_tree *tree,
			 const struct call_key *key)
{
	const size_t mask = ((size_t)1 << tree->log2) - 1;
	size_t i = home_of(tree, key);

	while (tree->slots[i] &&
	       !is_same(&tree->nodes[tree->slots[i] - 1].key, key))
		i = (i + 1) & mask;
	return &tree->slots[i];
}

static void make_slots(struct call_tree *tree, unsigned int log2)
{
	free(tree->slots);
	tree->log2 = log2;
	tree->slots = memory_zeroed((size_t)1 << log2, sizeof(*tree->slots));
	for (size_t i = 0; i < tree->count; i++)
		*slot_of(tree, &tree->nodes[i].key) = (uint32_t)i + 1;
}

void call_tree_fini(struct call_tree *tree)
{
	free(tree->nodes);
	free(tree->slots);
	*tree = (struct call_tree){ 0 };
}

uint32_t call_tree_at(struct call_tree *tree, const struct call_key *key)
{
	uint32_t *slot;

	if (!tree->slots)
		make_slots(tree, SLOTS_LOG2);
	else if (4 * (tree->count + 1) > (size_t)3 << tree->log2)
		make_slots(tree, tree->log2 + 1);
	slot = slot_of(tree, key);
	if (*slot)
		return *slot - 1;
	if (tree->count >= CALL_NODE_NONE - 1)
		memory_exhausted();
	tree->nodes = memory_grow(tree->nodes, tree->count, &tree->capacity,
				  sizeof(*tree->nodes));
	tree->nodes[tree->count] = (struct call_node){ .key = *key };
	*slot = (uint32_t)++tree->count;
	return *slot - 1;
}
