/* SPDX-License-Identifier: MIT */
/* A fuzzer's allocator for the memory that is compiled from one input. */
#ifndef CLEW_FUZZ_PIECES_H
#define CLEW_FUZZ_PIECES_H

#include <stdlib.h>

#define PIECES_MAX 4096

struct pieces {
	void *list[PIECES_MAX];
	unsigned int count;
};

static inline void *pieces_take(void *context, size_t bytes)
{
	struct pieces *pieces = context;

	if (pieces->count == PIECES_MAX)
		return NULL;
	pieces->list[pieces->count] = calloc(1, bytes);
	return pieces->list[pieces->count++];
}

static inline void pieces_free(struct pieces *pieces)
{
	while (pieces->count)
		free(pieces->list[--pieces->count]);
	free(pieces);
}

#endif
