/* SPDX-License-Identifier: MIT */
/*
 * The table of nodes by id (clew.h). The library that contains this code
 * provides the memory.
 */
#ifndef CLEW_AGENT_NODES_H
#define CLEW_AGENT_NODES_H

#include <stddef.h>

struct clew_nodes;

/*
 * Functions of the library that allocate and free memory. Any thread and signal
 * handler may call both.
 */
struct node_memory {
	void *(*take)(size_t bytes); /* returns zeroed pages, or NULL */
	void (*give_back)(void *pages, size_t bytes);
};

/* Returns an empty table, or NULL without memory. */
struct clew_nodes *nodes_new(const struct node_memory *memory);

#endif
