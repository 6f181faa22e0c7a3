/* SPDX-License-Identifier: MIT */
/*
 * Two coroutines with their own stack switch, whose stacks are adjacent. One of
 * them is deep in its stack, at the beginning of the other stack, where
 * functions wait. The first functions of both have no caller.
 */
#define TRUTH_MAIN
#include "tests/targets/switch_stack.h"
#include "tests/targets/truth.h"

#define STACK_BYTES ((size_t)64 * 1024)
#define NEAR_BYTES  3072 /* enough for the calls there */

static void *main_sp, *sps[2];
static char *end_of_lower;

TRUTH_INLINE void yield(int from)
{
	uint32_t here = TRUTH_HERE;

	ENTER(switch_stack);
	switch_stack(&sps[from], main_sp);
	TRUTH_HERE = here;
}

static COUNTED void leaf(void)
{
	ENTER(leaf);
	__asm__ volatile("");
	LEAVE();
}

/* Descends to the beginning of the other stack. */
static COUNTED void down(void)
{
	ENTER(down);
	if ((char *)__builtin_frame_address(0) > end_of_lower + NEAR_BYTES)
		down();
	else
		yield(1);
	__asm__ volatile("");
	LEAVE();
}

static COUNTED void upper(void)
{
	uint32_t here;

	ENTER_ROOT(upper);
	here = TRUTH_HERE;
	for (;;) {
		TRUTH_HERE = here;
		down();
	}
}

static COUNTED void lower(void)
{
	uint32_t here;

	ENTER_ROOT(lower);
	here = TRUTH_HERE;
	for (;;) {
		leaf();
		TRUTH_HERE = here;
		yield(0);
		TRUTH_HERE = here;
	}
}

static COUNTED void *stack_for(char *end, void (*first)(void))
{
	void **sp = (void **)(void *)end;

	ENTER(stack_for);
	*--sp = NULL; /* the return address, and alignment */
	*--sp = (void *)(uintptr_t)first;
	for (int i = 0; i < SAVED_REGISTERS; i++)
		*--sp = NULL;
	LEAVE();
	return sp;
}

static COUNTED void run(int which)
{
	uint32_t here;

	ENTER(run);
	here = TRUTH_HERE;
	ENTER(switch_stack);
	switch_stack(&main_sp, sps[which]);
	TRUTH_HERE = here;
	LEAVE();
}

int main(void)
{
	char *stacks = malloc(2 * STACK_BYTES);

	ENTER(main);
	end_of_lower = stacks + STACK_BYTES;
	sps[0] = stack_for(end_of_lower, lower);
	sps[1] = stack_for(end_of_lower + STACK_BYTES, upper);
	run(1);
	for (int i = 0; i < 3; i++)
		run(0);
	puts("done");
	LEAVE();
	truth_write();
	return 0;
}
