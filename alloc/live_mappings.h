/* SPDX-License-Identifier: MIT */
/*
 * Pages that the program has mapped, and the context that mapped them. Any
 * thread may call these functions.
 */
#ifndef CLEW_ALLOC_LIVE_MAPPINGS_H
#define CLEW_ALLOC_LIVE_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

/* Assigns the pages to this row (alloc_sites.h), whatever their former row. */
void live_mappings_add(const void *at, size_t bytes, uint64_t row);

/*
 * Called before the program unmaps pages. No other thread can add a mapping
 * until live_mappings_release(), because it may get the same address at once.
 * Returns whether the lock could be acquired; if not, an untracked mapping is
 * counted. Keeps errno.
 */
int live_mappings_hold(void);

/* Removes the pages that the program has unmapped, if any. Keeps errno. */
void live_mappings_release(const void *at, size_t bytes);

/* Forgets all mappings, unless the lock is held and may_wait is 0. */
void live_mappings_clear(int may_wait);

/* Called before and after a fork. The child begins without mappings. */
void live_mappings_before_fork(void);
void live_mappings_after_fork(int is_child);

#endif
