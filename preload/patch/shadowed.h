/* SPDX-License-Identifier: MIT */
/*
 * Inspects stacks on which no thread runs: those of suspended coroutines.
 *
 * No register points to them. But each return address that a stub has moved has
 * a shadow slot, so only memory with shadow is read.
 */
#ifndef CLEW_PATCH_SHADOWED_H
#define CLEW_PATCH_SHADOWED_H

#include "preload/patch/stacks.h"

/*
 * Calls `visit` for each word with a shadow in the memory that stacks_init()
 * has found (is_pc false, as in stacks_walk()). This memory may include stacks
 * that are no longer used. Stops at the first result that is not 0, and returns
 * it. Skips mappings of more than 64 GiB.
 */
int shadowed_walk(const struct stacks *stacks,
		  int (*visit)(const void *context, uint64_t at, uint64_t word,
			       int is_pc),
		  const void *context);

#endif
