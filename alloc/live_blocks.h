/* SPDX-License-Identifier: MIT */
/*
 * Stores the allocated blocks by their address. Any thread may call these
 * functions.
 */
#ifndef CLEW_ALLOC_LIVE_BLOCKS_H
#define CLEW_ALLOC_LIVE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct live_block {
	uintptr_t at; /* address of the block; 0 in a free slot */
	size_t bytes;
	uint64_t row; /* row in which the block is counted (alloc_sites.h) */
	uint64_t born_ns;
};

/*
 * Adds a block. Returns 0, -ENOMEM, or -EBUSY if the lock cannot be acquired
 * (patient_lock.h).
 */
int live_blocks_add(const struct live_block *block);

/*
 * Removes a block. Returns 1 and *out if the block was stored, 0 if not, or
 * -EBUSY if the lock cannot be acquired.
 */
int live_blocks_take(const void *at, struct live_block *out);

/*
 * Frees the memory of all blocks. Skips the tables whose locks are held, unless
 * may_wait is set.
 */
void live_blocks_clear(int may_wait);

/* Called before and after a fork. The child begins without blocks. */
void live_blocks_before_fork(void);
void live_blocks_after_fork(int is_child);

#endif
