/* SPDX-License-Identifier: MIT */
/*
 * Coroutines with their own stack switch, as in coroutine libraries: the
 * switching function is hooked like any other and returns on another stack.
 */
#define TRUTH_MAIN
#define TRUTH_JUMPS
#include "tests/targets/coroutines.h"
#include "tests/targets/switch_stack.h"

static void *main_sp;
static void *sps[COROUTINES];
static int running;

TRUTH_INLINE void switch_counted(void **save, void *load)
{
	uint32_t here = TRUTH_HERE;

	ENTER(switch_stack);
	switch_stack(save, load);
	TRUTH_HERE = here;
}

TRUTH_INLINE void coroutine_yield(void)
{
	switch_counted(&sps[running], main_sp);
}

/*
 * The address to which switch_stack returns in a new coroutine. Never returns.
 */
static COUNTED void start(void)
{
	uint32_t here;

	ENTER_ROOT(start);
	here = TRUTH_HERE;
	coroutine_main();
	TRUTH_HERE = here;
	coroutine_yield();
	__builtin_trap();
}

/* A stack as switch_stack leaves it, with `start` as return address. */
TRUTH_INLINE void *initial_sp(char *stack)
{
	void **sp = (void **)(void *)(stack + STACK_BYTES);

	*--sp = NULL; /* the return address of start, and alignment */
	*--sp = (void *)start;
	for (int i = 0; i < SAVED_REGISTERS; i++)
		*--sp = NULL;
	return sp;
}

int main(void)
{
	ENTER(main);
	for (int i = 0; i < COROUTINES; i++) {
		char *stack = coroutine_stack(i);

		if (!stack)
			return 1;
		sps[i] = initial_sp(stack);
	}
	for (int turn = 0; turn <= YIELDS; turn++)
		for (int i = 0; i < COROUTINES; i++) {
			running = i;
			switch_counted(&main_sp, sps[i]);
			after();
		}
	puts("done");
	LEAVE();
	truth_write();
	return 0;
}
