/* SPDX-License-Identifier: MIT */
/*
 * A tree of calling contexts whose nodes are distinguished by more than the
 * function: call site or argument values. Each worker has its own tree; all are
 * merged when their nodes are added to the result tree.
 */
#ifndef CLEW_MERGE_CALL_TREE_H
#define CLEW_MERGE_CALL_TREE_H

#include <stddef.h>
#include <stdint.h>

#define CALL_NODE_NONE UINT32_MAX

/*
 * Identifies a node below its parent. For a node without a parent, `site` and
 * `function` have other meanings.
 */
struct call_key {
	uint64_t site; /* return address, 0: unknown; without a parent: an id */
	/* number in the process; without a parent: a tally */
	uint32_t function;
	uint32_t values; /* set of argument values; 0: none */
	uint32_t parent; /* CALL_NODE_NONE: no parent */
};

struct call_node {
	struct call_key key;
	uint64_t calls; /* including tail calls */
	uint64_t tails;
};

/* Parents precede their children. Zero-initialise before use. */
struct call_tree {
	struct call_node *nodes;
	size_t count, capacity;
	uint32_t *slots; /* open addressing: 1 + node */
	unsigned int log2;
};

void call_tree_fini(struct call_tree *tree);

/* Returns the index of the node with that key; creates it if needed. */
uint32_t call_tree_at(struct call_tree *tree, const struct call_key *key);

#endif
