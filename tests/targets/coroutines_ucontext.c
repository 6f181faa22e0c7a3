/* SPDX-License-Identifier: MIT */
/* Coroutines by makecontext and swapcontext; see coroutines.h. */
#define TRUTH_MAIN
#define TRUTH_JUMPS
#include "tests/targets/coroutines.h"

#include <ucontext.h>

static ucontext_t main_context;
static ucontext_t contexts[COROUTINES];
static int running;

TRUTH_INLINE void coroutine_yield(void)
{
	uint32_t here = TRUTH_HERE;

	swapcontext(&contexts[running], &main_context);
	TRUTH_HERE = here;
}

TRUTH_INLINE void coroutine_resume(int number)
{
	uint32_t here = TRUTH_HERE;

	running = number;
	swapcontext(&main_context, &contexts[number]);
	TRUTH_HERE = here;
}

static COUNTED int coroutine_create(int number)
{
	ucontext_t *context = &contexts[number];
	char *stack = coroutine_stack(number);

	ENTER(coroutine_create);
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = STACK_BYTES;
	context->uc_link = &main_context;
	makecontext(context, coroutine_main, 0);
	after();
	LEAVE();
	return stack != NULL;
}

int main(void)
{
	ENTER(main);
	for (int i = 0; i < COROUTINES; i++)
		if (!coroutine_create(i))
			return 1;
	for (int turn = 0; turn <= YIELDS; turn++)
		for (int i = 0; i < COROUTINES; i++) {
			coroutine_resume(i);
			after();
		}
	puts("done");
	LEAVE();
	truth_write();
	return 0;
}
