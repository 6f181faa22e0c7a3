/* SPDX-License-Identifier: MIT */
/*
 * An expression as a tree: a group is a list of branches, a branch a list of
 * nodes, and what is repeated hangs below its repetition. Each node knows how
 * many instructions it will take, so that the program is written in one go, and
 * what would be too large is refused before it is begun.
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
	struct ere_node *next;     /* in its branch */
	struct ere_branch *branch; /* ERE_NODE_GROUP: the first one */
	struct ere_node *child;    /* ERE_NODE_REPEAT */
	uint32_t least, most;      /* ERE_NODE_REPEAT */
	uint32_t set;              /* ERE_NODE_SET */
	uint8_t must, must_not;
	uint32_t depth; /* of the tree below */
	uint64_t size;  /* in instructions; beyond ERE_PROGRAM_MAX, any */
};

struct ere_branch {
	struct ere_branch *next;
	struct ere_node *first;
};

/*
 * Read an expression; what *group and *sets point to is allocated. 0, or -errno
 * and a sentence in *why, as ere_compile().
 */
int ere_read(const char *text, ere_alloc alloc, void *context,
	     struct ere_node **group, struct byte_set **sets, const char **why);

#endif
