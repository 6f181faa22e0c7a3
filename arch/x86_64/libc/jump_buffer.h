/* SPDX-License-Identifier: MIT */
/*
 * The layout of jmp_buf. Both C libraries store the stack pointer that
 * setjmp() returns with as the 7th word.
 */
#ifndef CLEW_LIBC_JUMP_BUFFER_H
#define CLEW_LIBC_JUMP_BUFFER_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include "libc/libc.h"

static inline uint64_t jump_buffer_stack(const struct __jmp_buf_tag *env)
{
	const uint64_t stored = (uint64_t)env->__jmpbuf[6];
	uint64_t guard;

	if (libc_is_musl())
		return stored;
	/* glibc mangles the word with the guard at fs:0x30. */
	__asm__("mov %%fs:0x30, %0" : "=r"(guard));
	return (stored >> 17 | stored << 47) ^ guard;
}

/*
 * Returns the signal mask that longjmp() restores before it jumps, or NULL.
 * musl restores a mask in sigsetjmp() after the jump. The word in which glibc
 * stores whether there is a mask is not initialized by musl's setjmp().
 */
static inline const sigset_t *jump_buffer_mask(const struct __jmp_buf_tag *env)
{
	return !libc_is_musl() && env->__mask_was_saved ? &env->__saved_mask
							: NULL;
}

#endif
