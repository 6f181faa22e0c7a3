/* SPDX-License-Identifier: MIT */
/*
 * References between functions of a module: calls, jumps, and taken addresses.
 */
#ifndef CLEW_IMAGE_REFERENCES_H
#define CLEW_IMAGE_REFERENCES_H

#include <stdint.h>

#include "image/arena.h"

/* Indices of functions; `from` may be BRANCHES_NOBODY. */
struct reference {
	uint32_t from;
	uint32_t to;
};

#define REFERENCES_IN_BLOCK 4096

struct reference_block {
	struct reference_block *before;
	uint32_t count;
	struct reference items[REFERENCES_IN_BLOCK];
};

/* The caller sets all members to 0 before use. */
struct references {
	struct reference_block *last;
};

/* Adds a reference. Returns 0 or -ENOMEM. */
int references_add(struct references *references, struct arena *arena,
		   uint32_t from, uint32_t to);

typedef void (*reference_visit)(void *context, const struct reference *one);

/* Visits each reference as often as it was added, in no particular order. */
void references_walk(const struct references *references, reference_visit visit,
		     void *context);

#endif
