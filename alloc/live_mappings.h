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

/* Removes pages that the program has unmapped. */
void live_mappings_remove(const void *at, size_t bytes);

/* Called before and after a fork. The child begins without mappings. */
void live_mappings_before_fork(void);
void live_mappings_after_fork(int is_child);

#endif
