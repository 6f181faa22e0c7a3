/* SPDX-License-Identifier: MIT */
/* Pages that the program has mapped, and by which context each. Any thread. */
#ifndef CLEW_ALLOC_LIVE_MAPPINGS_H
#define CLEW_ALLOC_LIVE_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

/* They belong to this row (alloc_sites.h) from now on, whosever they were. */
void live_mappings_add(const void *at, size_t bytes, uint64_t row);

/* They are not mapped any more. */
void live_mappings_remove(const void *at, size_t bytes);

/* Around a fork; the child has none. */
void live_mappings_before_fork(void);
void live_mappings_after_fork(int is_child);

#endif
