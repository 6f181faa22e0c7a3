/* SPDX-License-Identifier: MIT */
/*
 * Locations in a module's code that jump to another frame (disasm/leap).
 *
 * No function is called for such a jump, so a jump to a probe that reports
 * where it lands is written over each, if there is room. Leaps are stored like
 * functions, with a verdict that marks them as no functions.
 */
#ifndef CLEW_IMAGE_LEAPS_H
#define CLEW_IMAGE_LEAPS_H

#include <stdint.h>

#include "image/arena.h"
#include "image/marks.h"
#include "wire/recording.h"

struct leap {
	struct leap *next;
	uint64_t vaddr;
	uint32_t bytes;
};

/* A list of leaps. The newest is the first. */
struct leaps {
	struct leap *first;
	uint32_t count;
};

/* Adds a leap at vaddr. Returns 0 or -ENOMEM. */
int leaps_add(struct leaps *leaps, struct arena *arena, uint64_t vaddr,
	      uint32_t bytes);

/*
 * Adds the leaps that can be overwritten to `count` functions in order of
 * vaddr; the list has room for all. Removes the other leaps from *leaps.
 * Returns the new count.
 */
uint32_t leaps_merge(struct leaps *leaps, const struct marks *targets,
		     struct wire_function *list, uint32_t count);

#endif
