/* SPDX-License-Identifier: MIT */
/*
 * A tree of calling contexts in which more than the function tells one from another: where it
 * is called, say. A worker's own; several become one when they are put where they belong.
 */
#ifndef CLEW_MERGE_CALL_TREE_H
#define CLEW_MERGE_CALL_TREE_H

#include <stddef.h>
#include <stdint.h>

#define CALL_NODE_NONE UINT32_MAX

/* What a node is, below its parent. Of those without one: see `site` and `function`. */
struct call_key {
	uint64_t site;     /* where it returns to, 0: unknown; an id */
	uint32_t function; /* its number in the process; a tally's */
	uint32_t values;   /* of its arguments; 0: none */
	uint32_t parent;   /* or CALL_NODE_NONE */
};

struct call_node {
	struct call_key key;
	uint64_t calls; /* tail calls, too */
	uint64_t tails;
};

/* Parents come before their children. Zero-initialise before use. */
struct call_tree {
	struct call_node *nodes;
	size_t count, capacity;
	uint32_t *slots; /* open addressing: node + 1 */
	unsigned int log2;
};

void call_tree_fini(struct call_tree *tree);

/* The node of that key, made if need be: its index. */
uint32_t call_tree_at(struct call_tree *tree, const struct call_key *key);

#endif
