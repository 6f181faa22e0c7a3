/* SPDX-License-Identifier: MIT */
/*
 * Returns the address of the calling thread's control block. libc stores this
 * address in the block's first word.
 */
#ifndef CLEW_HOT_THREAD_BLOCK_H
#define CLEW_HOT_THREAD_BLOCK_H

#include <stdint.h>

static inline uint64_t thread_block(void)
{
	uint64_t block;

	__asm__("mov %%fs:0, %0" : "=r"(block));
	return block;
}

/* Returns the offset of `hot` in the library's TLS segment. */
static inline uint64_t thread_variables_at(void)
{
	uint64_t at;

	__asm__("movq $hot@dtpoff, %0" : "=r"(at));
	return at;
}

#endif
