/* SPDX-License-Identifier: MIT */
/* See main_path.h. */
#include "report/trace/main_path.h"

#include <stdlib.h>

#include "base/memory.h"

static const struct compared_context *side_of(
	const struct compared_calls *compared, uint32_t node, int side)
{
	return &compared->contexts[node].of[side];
}

/* Returns each node's callee with the most time in the slowest call. */
static uint32_t *longest_callees(const struct compared_calls *compared)
{
	const struct tree *tree = &compared->tree;
	uint32_t *longest = memory_zeroed(tree->count, sizeof(*longest));

	for (uint32_t i = TREE_ROOT + 1; i < tree->count; i++) {
		uint32_t *best = &longest[tree->nodes[i].parent];

		if (!*best ||
		    side_of(compared, i, COMPARED_SLOW)->total_ns >
			    side_of(compared, *best, COMPARED_SLOW)->total_ns)
			*best = i;
	}
	return longest;
}

/* Returns the node of the call itself; 0 if its packet was reused. */
static uint32_t root_of(const struct compared_calls *compared, int side)
{
	return tree_find(&compared->tree, TREE_ROOT,
			 compared->of[side].function);
}

static double part_of(double ns, uint64_t whole)
{
	if (!whole || ns <= 0)
		return 0;
	return ns < (double)whole ? ns / (double)whole : 1;
}

static struct time_share share_of(const struct compared_context *context,
				  const struct compared_context *call)
{
	return (struct time_share){
		.least = part_of((double)context->least_ns, call->total_ns),
		.most = part_of((double)context->total_ns, call->least_ns),
	};
}

/* Returns the share of the time that remains without all callees. */
static struct time_share self_share_of(const struct compared_calls *compared,
				       uint32_t root, int side)
{
	struct compared_context callees = { 0 };
	struct time_share share;

	for (uint32_t i = root + 1; i < compared->tree.count; i++)
		if (compared->tree.nodes[i].parent == root) {
			callees.least_ns +=
				side_of(compared, i, side)->least_ns;
			callees.total_ns +=
				side_of(compared, i, side)->total_ns;
		}
	share = share_of(&callees, side_of(compared, root, side));
	return (struct time_share){ 1 - share.most, 1 - share.least };
}

static void find_shares(struct main_path *path,
			const struct compared_calls *compared, int side)
{
	const struct tree *tree = &compared->tree;
	const uint32_t root = root_of(compared, side);
	uint32_t node = root;

	for (size_t i = 0; i < path->count && node; i++)
		node = tree_find(tree, node,
				 tree->nodes[path->nodes[i]].function);
	if (node)
		path->of[side] = share_of(side_of(compared, node, side),
					  side_of(compared, root, side));
	if (root)
		path->self[side] = self_share_of(compared, root, side);
}

/* Returns whether a node certainly has more than half of the slowest call. */
static int has_most(const struct compared_calls *compared, uint32_t node,
		    uint64_t whole)
{
	return side_of(compared, node, COMPARED_SLOW)->least_ns > whole / 2;
}

/*
 * Returns whether the path ends at `node`, although `callee` may have more than
 * half of the time. This is so where the node certainly has this time, and the
 * callee may also have none of it. Such a callee has many short calls, which
 * have no time stamps of their own.
 */
static int is_last_sure(const struct compared_calls *compared, uint32_t node,
			uint32_t callee, uint64_t whole)
{
	return has_most(compared, node, whole) &&
	       !has_most(compared, callee, whole);
}

void main_path_find(struct main_path *path,
		    const struct compared_calls *compared)
{
	const uint32_t root = root_of(compared, COMPARED_SLOW);
	uint32_t *longest = longest_callees(compared), node;
	size_t capacity = 0;

	*path = (struct main_path){ 0 };
	for (node = root; node && longest[node]; node = longest[node]) {
		const uint64_t whole =
			side_of(compared, root, COMPARED_SLOW)->total_ns;

		if (side_of(compared, longest[node], COMPARED_SLOW)->total_ns <=
		    whole / 2)
			break;
		if (path->count &&
		    is_last_sure(compared, node, longest[node], whole))
			break;
		path->nodes = memory_grow(path->nodes, path->count, &capacity,
					  sizeof(*path->nodes));
		path->nodes[path->count++] = longest[node];
	}
	free(longest);
	for (int side = 0; side < COMPARED_SIDES; side++)
		find_shares(path, compared, side);
}

void main_path_fini(struct main_path *path)
{
	free(path->nodes);
}
