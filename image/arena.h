/* SPDX-License-Identifier: MIT */
/*
 * Memory that does not come from malloc.
 *
 * Inside the target malloc belongs to the program: it may be hooked, replaced
 * or locked at the moment we need memory. An arena maps its own pages and is
 * thrown away as a whole. Not thread-safe; zero-initialise before use.
 */
#ifndef CLEW_IMAGE_ARENA_H
#define CLEW_IMAGE_ARENA_H

#include <stddef.h>

struct arena {
	unsigned char *block; /* newest block, linked to the older ones */
	size_t used_bytes;    /* of the newest block */
	size_t block_bytes;
};

/* Zeroed memory, 16-byte aligned, or NULL. Lives until arena_fini(). */
void *arena_alloc(struct arena *arena, size_t bytes);

/* The same, for who takes memory by a function and what that needs. */
void *arena_memory(void *arena, size_t bytes);

void arena_fini(struct arena *arena);

/* All is given up, but one block of memory may stay for what is allocated next. */
void arena_clear(struct arena *arena);

#endif
