/* SPDX-License-Identifier: MIT */
/*
 * Two coroutines by a switch of its own, whose stacks adjoin: where the one begins,
 * functions of the other wait, which is deep in its stack. Their first functions
 * return to nobody.
 */
#define TRUTH_MAIN
#include "tests/targets/switch_stack.h"
#include "tests/targets/truth.h"

#define STACK_BYTES ((size_t)64 * 1024)
#define NEAR_BYTES  3072 /* enough for what is called there */

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

/* Down to where the other stack begins. */
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
	*--sp = NULL; /* the return address, and the alignment */
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
