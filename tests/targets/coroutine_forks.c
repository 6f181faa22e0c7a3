/* SPDX-License-Identifier: MIT */
/*
 * Forks a child on a coroutine's stack. The argument says how the coroutine is
 * created:
 *
 *	hand	without libc; its first function has no caller
 *	libc	by makecontext()
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/targets/switch_stack.h"

#define STACK_BYTES (256 * 1024)

static char stack[STACK_BYTES] __attribute__((aligned(16)));
static ucontext_t main_context, own_context;
static void *main_sp, *own_sp;
static int is_by_hand;
static volatile int calls;

__attribute__((noinline)) void after(void)
{
	calls++;
}

__attribute__((noinline)) void inner(void)
{
	pid_t child = fork();

	after();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	calls++;
}

__attribute__((noinline)) void body(void)
{
	inner();
	if (is_by_hand)
		switch_stack(&own_sp, main_sp);
	else
		swapcontext(&own_context, &main_context);
}

/* Sets rsp as after a call, with the return address 0. */
__attribute__((noinline)) void resume_by_hand(void)
{
	void **sp = (void **)(void *)(stack + STACK_BYTES);

	*--sp = NULL;
	*--sp = NULL;
	*--sp = (void *)body;
	sp -= SAVED_REGISTERS;
	memset(sp, 0, SAVED_REGISTERS * sizeof(*sp));
	switch_stack(&main_sp, sp);
	calls++;
}

__attribute__((noinline)) void resume_by_libc(void)
{
	getcontext(&own_context);
	own_context.uc_stack.ss_sp = stack;
	own_context.uc_stack.ss_size = sizeof(stack);
	makecontext(&own_context, body, 0);
	swapcontext(&main_context, &own_context);
	calls++;
}

int main(int argc, char **argv)
{
	is_by_hand = argc > 1 && !strcmp(argv[1], "hand");
	if (is_by_hand)
		resume_by_hand();
	else
		resume_by_libc();
	return calls != 3;
}
