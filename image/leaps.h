/* SPDX-License-Identifier: MIT */
/*
 * The places in a module's code that jump to another frame (disasm/leap).
 *
 * Nothing tells of such a jump, so each gets a jump of its own written over it
 * that says where it lands. They are kept as functions are, with a verdict that
 * says that they are none.
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

/* The one that was found last comes first. */
struct leaps {
	struct leap *first;
	uint32_t count;
};

/* 0 or -ENOMEM. */
int leaps_add(struct leaps *leaps, struct arena *arena, uint64_t vaddr,
	      uint32_t bytes);

/*
 * Add those that can be written over to `count` functions in order of vaddr;
 * the list has room for all. Returns how many there are then.
 */
uint32_t leaps_merge(struct leaps *leaps, const struct marks *targets,
		     struct wire_function *list, uint32_t count);

#endif
