/* SPDX-License-Identifier: MIT */
/*
 * Texts that many things share, such as the name of a file that a thousand
 * lines belong to: each is kept once, and until the end of the pool. Control
 * characters become '?', as a terminal obeys them.
 */
#ifndef CLEW_SYMBOLIZER_SPACE_POOL_H
#define CLEW_SYMBOLIZER_SPACE_POOL_H

#include "symbolizer/space/table.h"

struct pool_text {
	uint32_t length;
	char text[]; /* and a NUL */
};

struct pool_chunk;

/* Zero-initialise before use. */
struct pool {
	struct table texts; /* of their hashes */
	struct pool_chunk *chunks;
	size_t left; /* in the first chunk */
};

/* NULL: no memory. */
const struct pool_text *pool_add(struct pool *pool, const char *text,
				 size_t length);

void pool_fini(struct pool *pool);

#endif
