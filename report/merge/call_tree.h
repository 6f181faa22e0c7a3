/* SPDX-License-Identifier: MIT */
/*
 * A tree of calling contexts. Two nodes with the same caller differ in the
 * function, the call site or the values of arguments. Each worker has its own
 * tree. Finally the nodes of all these trees are added to one struct tree,
 * where equal nodes are merged.
 */
#ifndef CLEW_MERGE_CALL_TREE_H
#define CLEW_MERGE_CALL_TREE_H

#include <stddef.h>
#include <stdint.h>

#define CALL_NODE_NONE UINT32_MAX

/*
 * Identifies a node in the tree. In a node without a parent, which stands for
 * the callers outside of a packet's context, `site` and `function` have other
 * meanings.
 */
struct call_key {
	/*
	 * Return address of the call, or 0 if it is unknown. In a node without
	 * a parent, the id of the callers' context.
	 */
	uint64_t site;
	/*
	 * Number of the function in the process. In a node without a parent,
	 * the number of the tally.
	 */
	uint32_t function;
	uint32_t values; /* number of the set of argument values, or 0 */
	uint32_t parent; /* index of the parent, or CALL_NODE_NONE */
};

struct call_node {
	struct call_key key;
	uint64_t calls; /* number of calls, including tail calls */
	uint64_t tails;
};

/*
 * The tree of calls. Parents precede their children. The caller sets all
 * members to 0 before use.
 */
struct call_tree {
	struct call_node *nodes;
	size_t count, capacity;
	/*
	 * Hash table with open addressing. A slot contains 1 + the index of a
	 * node, or 0 if it is free.
	 */
	uint32_t *slots;
	unsigned int log2;
};

void call_tree_fini(struct call_tree *tree);

/*
 * Returns the index of the node with this key, and creates the node if there is
 * none.
 */
uint32_t call_tree_at(struct call_tree *tree, const struct call_key *key);

#endif
