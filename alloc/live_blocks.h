/* SPDX-License-Identifier: MIT */
/* Blocks that are allocated, by address. Any thread. */
#ifndef CLEW_ALLOC_LIVE_BLOCKS_H
#define CLEW_ALLOC_LIVE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct live_block {
	uintptr_t at; /* 0: none */
	size_t bytes;
	uint64_t row; /* where it counts: alloc_sites.h */
	uint64_t born_ns;
};

/* 0, or -ENOMEM; -EBUSY if a handler has interrupted this very thread in here. */
int live_blocks_add(const struct live_block *block);

/* Whether it was there; *out is set only if so. */
int live_blocks_take(const void *at, struct live_block *out);

/* Around a fork; the child has no blocks. */
void live_blocks_before_fork(void);
void live_blocks_after_fork(int is_child);

#endif
