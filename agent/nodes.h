/* SPDX-License-Identifier: MIT */
/* Nodes by id (clew.h), in memory of the library that contains them. */
#ifndef CLEW_AGENT_NODES_H
#define CLEW_AGENT_NODES_H

#include <stddef.h>

struct clew_nodes;

/*
 * Functions of the library that allocate and free memory. Both are safe in
 * signal handlers and in any thread.
 */
struct node_memory {
	void *(*take)(size_t bytes); /* returns zeroed pages, or NULL */
	void (*give_back)(void *pages, size_t bytes);
};

/* Returns an empty table, or NULL without memory. */
struct clew_nodes *nodes_new(const struct node_memory *memory);

#endif
