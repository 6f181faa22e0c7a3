/* SPDX-License-Identifier: MIT */
/*
 * Memory that does not come from malloc.
 *
 * Inside the target malloc belongs to the program and may be hooked, replaced
 * or locked when clew needs memory. An arena maps its own pages and is freed as
 * a whole. Not thread-safe; zero-initialise before use.
 */
#ifndef CLEW_IMAGE_ARENA_H
#define CLEW_IMAGE_ARENA_H

#include <stddef.h>

struct arena {
	unsigned char *block; /* newest block, linked to older ones */
	size_t used_bytes;    /* used bytes of the newest block */
	size_t block_bytes;
};

/*
 * Returns zeroed memory, 16-byte aligned, or NULL. The memory lives until
 * arena_fini() or arena_clear().
 */
void *arena_alloc(struct arena *arena, size_t bytes);

/* Like arena_alloc(), as a callback, with the arena as its context. */
void *arena_memory(void *arena, size_t bytes);

void arena_fini(struct arena *arena);

/* Frees everything, but may keep one block for further allocations. */
void arena_clear(struct arena *arena);

#endif
