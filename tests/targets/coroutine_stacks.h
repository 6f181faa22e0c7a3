/* SPDX-License-Identifier: MIT */
/*
 * Stacks for coroutines in all kinds of memory that programs use, since clew
 * identifies a stack by its address: mappings, .bss, the brk area and malloc's
 * arena.
 */
#ifndef CLEW_TESTS_COROUTINE_STACKS_H
#define CLEW_TESTS_COROUTINE_STACKS_H

#include "tests/targets/truth.h"

#include <sys/mman.h>

#define COROUTINES  8
#define STACK_BYTES (128 * 1024)

static char bss_stacks[2][STACK_BYTES] __attribute__((aligned(64)));

/* Returns the stack of coroutine `number`, or null. */
TRUTH_INLINE char *coroutine_stack(int number)
{
	void *memory;

	switch (number % 4) {
	case 0:
		return bss_stacks[number / 4 % 2];
	case 1:
		memory = sbrk(STACK_BYTES);
		return memory == (void *)-1 ? NULL : memory;
	case 2:
		memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		return memory == MAP_FAILED ? NULL : memory;
	default:
		return malloc(STACK_BYTES);
	}
}

#endif
