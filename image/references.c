/* SPDX-License-Identifier: MIT */
/* See references.h. */
#include "image/references.h"

#include <errno.h>

int references_add(struct references *references, struct arena *arena,
		   uint32_t from, uint32_t to)
{
	struct reference_block *block = references->last;

	if (!block || block->count == REFERENCES_IN_BLOCK) {
		block = arena_alloc(arena, sizeof(*block));
		if (!block)
			return -ENOMEM;
		block->before = references->last;
		references->last = block;
	}
	block->items[block->count++] = (struct reference){ from, to };
	return 0;
}

void references_walk(const struct references *references, reference_visit visit,
		     void *context)
{
	for (const struct reference_block *block = references->last; block;
	     block = block->before)
		for (uint32_t i = 0; i < block->count; i++)
			visit(context, &block->items[i]);
}
