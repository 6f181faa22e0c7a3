/* SPDX-License-Identifier: MIT */
/*
 * Inspects stacks on which no thread runs: those of suspended coroutines.
 *
 * No register of a thread leads to these stacks. But a stub that moves a return
 * address writes to its shadow slot, so only memory whose shadow exists has to
 * be searched.
 */
#ifndef CLEW_PATCH_SHADOWED_H
#define CLEW_PATCH_SHADOWED_H

#include "preload/patch/stacks.h"

/*
 * Calls `visit` for each word whose page of shadow was ever used, in the memory
 * that stacks_init() has found. The arguments are those of stacks_walk(), with
 * is_pc 0. This memory may include stacks that are no longer used. Stops at the
 * first result that is not 0, and returns it. Returns -errno if the pages of
 * shadow cannot be found. Skips mappings of more than 64 GiB.
 */
int shadowed_walk(const struct stacks *stacks,
		  int (*visit)(const void *context, uint64_t at, uint64_t word,
			       int is_pc),
		  const void *context);

/* Returns whether pages of shadow can be found without mincore(). */
int shadowed_has_pagemap(void);

#endif
