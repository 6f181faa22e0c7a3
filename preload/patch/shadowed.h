/* SPDX-License-Identifier: MIT */
/*
 * What is on stacks that nobody runs on: of coroutines that are suspended.
 *
 * No register leads to them; but where a stub has moved a return address there
 * is shadow, and where no shadow is none has.
 */
#ifndef CLEW_PATCH_SHADOWED_H
#define CLEW_PATCH_SHADOWED_H

#include "preload/patch/stacks.h"

/*
 * Call look for each word, in the memory that stacks_init() has found, that has a
 * shadow (is_pc false, as for stacks_walk()): stacks that are gone may be among
 * them. Stops at the first answer that is not 0, and returns it. Nothing is
 * looked at in mappings of more than 64 GiB.
 */
int shadowed_walk(const struct stacks *stacks,
		  int (*look)(const void *context, uint64_t at, uint64_t word,
			      int is_pc),
		  const void *context);

#endif
