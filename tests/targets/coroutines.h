/* SPDX-License-Identifier: MIT */
/*
 * What a coroutine does in both of the coroutine tests: descend, and at the
 * bottom and on the way back hand the processor over, then call on.
 *
 * Its stacks come from all the places that programs take them from, since
 * clew knows a stack by its address: among the mappings, in .bss, in the brk
 * area and in malloc's arena.
 */
#ifndef CLEW_TESTS_COROUTINES_H
#define CLEW_TESTS_COROUTINES_H

#include "tests/targets/truth.h"

#include <sys/mman.h>

#define COROUTINES  8
#define STACK_BYTES (128 * 1024)
#define YIELDS      12 /* two on every level of the descent */
#define LEVELS      6

static char bss_stacks[2][STACK_BYTES] __attribute__((aligned(64)));

/* The stack of coroutine `number`, or null. */
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

static COUNTED void after(void)
{
	ENTER(after);
	LEAVE();
}

/* Hands over; when it comes back TRUTH_HERE is what it was. */
static void coroutine_yield(void);

static COUNTED void descend(int level)
{
	ENTER(descend);
	coroutine_yield();
	after();
	if (level > 1)
		descend(level - 1);
	coroutine_yield();
	after();
	LEAVE();
}

static COUNTED void coroutine_main(void)
{
	ENTER_ROOT(coroutine_main);
	after();
	descend(LEVELS);
	after();
	LEAVE();
}

#endif
