/* SPDX-License-Identifier: MIT */
/*
 * An expression as a tree: a group is a list of branches, a branch is a list of
 * nodes, and a repetition has a child. Each node has the number of its
 * instructions, so the program is written in one pass, and expressions that are
 * too large are refused before.
 */
#ifndef CLEW_MATCH_ERE_TREE_H
#define CLEW_MATCH_ERE_TREE_H

#include "match/ere.h"

#define ERE_WITHOUT_LIMIT UINT32_MAX

enum ere_node_kind {
	ERE_NODE_SET,
	ERE_NODE_ASSERT,
	ERE_NODE_GROUP,
	ERE_NODE_REPEAT
};

struct ere_node {
	enum ere_node_kind kind;
	struct ere_node *next;     /* next node of its branch */
	struct ere_branch *branch; /* for ERE_NODE_GROUP: the first branch */
	struct ere_node *child;    /* ERE_NODE_REPEAT */
	uint32_t least, most;      /* ERE_NODE_REPEAT */
	uint32_t set;              /* ERE_NODE_SET */
	uint8_t must, must_not;
	uint32_t depth; /* depth of the tree below */
	/* number of instructions; not exact beyond ERE_PROGRAM_MAX */
	uint64_t size;
};

struct ere_branch {
	struct ere_branch *next;
	struct ere_node *first;
};

/*
 * Parses an expression; *group and *sets are allocated. Returns 0, or -errno
 * and an error message in *why, as ere_compile().
 */
int ere_read(const char *text, ere_alloc alloc, void *context,
	     struct ere_node **group, struct byte_set **sets, const char **why);

#endif
