/* SPDX-License-Identifier: MIT */
/* Allocated blocks, by address. Any thread. */
#ifndef CLEW_ALLOC_LIVE_BLOCKS_H
#define CLEW_ALLOC_LIVE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct live_block {
	uintptr_t at; /* 0: none */
	size_t bytes;
	uint64_t row; /* the row where it counts: alloc_sites.h */
	uint64_t born_ns;
};

/*
 * Returns 0, -ENOMEM, or -EBUSY if a signal handler has interrupted this thread
 * while it held the lock.
 */
int live_blocks_add(const struct live_block *block);

/* Removes a block. Returns whether it was there; sets *out only if so. */
int live_blocks_take(const void *at, struct live_block *out);

/* Called around a fork; the child has no blocks. */
void live_blocks_before_fork(void);
void live_blocks_after_fork(int is_child);

#endif
