/* SPDX-License-Identifier: MIT */
/*
 * Shared texts, such as the name of a file with a thousand lines. Each text is
 * stored once, unless another one has the same hash, and lives as long as the
 * pool. Control characters become '?', because terminals interpret them.
 */
#ifndef CLEW_SYMBOLIZER_SPACE_POOL_H
#define CLEW_SYMBOLIZER_SPACE_POOL_H

#include "symbolizer/space/table.h"

struct pool_text {
	uint32_t length;
	char text[]; /* followed by a NUL */
};

struct pool_chunk;

/* Zero-initialise before use. */
struct pool {
	struct table texts; /* hash -> text */
	struct pool_chunk *chunks;
	size_t left; /* free bytes in the first chunk */
};

/* Returns the pool's copy of a text, or NULL if memory is short. */
const struct pool_text *pool_add(struct pool *pool, const char *text,
				 size_t length);

void pool_fini(struct pool *pool);

#endif
