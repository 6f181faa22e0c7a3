/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers on an alternate stack inside the thread's stack. The handlers
 * run while the thread is on another stack that lies below the alternate one
 * and ends at an inaccessible page. The bounds of the thread's stack do not
 * apply to that stack.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <signal.h>
#include <sys/mman.h>

#define STACK_BYTES (256 << 10)
#define SIGNALS     200
#define CALLS       10

static COUNTED void leaf(void)
{
	ENTER(leaf);
	LEAVE();
}

static COUNTED void handler(int signal)
{
	(void)signal;
	ENTER(handler);
	for (int i = 0; i < CALLS; i++)
		leaf();
	LEAVE();
}

static COUNTED void interrupted(int depth)
{
	ENTER(interrupted);
	if (depth > 0)
		interrupted(depth - 1);
	else
		raise(SIGUSR1);
	LEAVE();
}

static COUNTED void elsewhere(void)
{
	ENTER(elsewhere);
	for (int i = 0; i < SIGNALS; i++)
		interrupted(i % CALLS);
	LEAVE();
}

/* Returns a stack that ends at inaccessible memory. */
TRUTH_INLINE char *stack_at_an_end(void)
{
	char *stack = mmap(NULL, 2 * STACK_BYTES, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED ||
	    mprotect(stack, STACK_BYTES, PROT_READ | PROT_WRITE))
		return NULL;
	return stack;
}

/*
 * Calls a function on another stack, so that slots of caller and callee are on
 * different stacks.
 */
TRUTH_INLINE void call_on(char *stack_end, void (*function)(void))
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[end], %%rsp\n\t"
			 "call *%[function]\n\t"
			 "movq %%rbx, %%rsp"
			 :
			 : [end] "r"(stack_end), [function] "r"(function)
			 : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9",
			   "r10", "r11", "memory", "cc");
}

static COUNTED int run_within(void *alternate)
{
	const stack_t within = { .ss_sp = alternate, .ss_size = STACK_BYTES };
	const struct sigaction action = { .sa_handler = handler,
					  .sa_flags = SA_ONSTACK };
	char *stack = stack_at_an_end();

	ENTER(run_within);
	if (!stack || sigaltstack(&within, NULL) ||
	    sigaction(SIGUSR1, &action, NULL))
		return 1;
	call_on(stack + STACK_BYTES, elsewhere);
	LEAVE();
	return 0;
}

int main(void)
{
	char alternate[STACK_BYTES];
	int failed;

	ENTER(main);
	failed = run_within(alternate);
	puts("done");
	LEAVE();
	truth_write();
	return failed;
}
