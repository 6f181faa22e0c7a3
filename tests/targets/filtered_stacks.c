/* SPDX-License-Identifier: MIT */
/*
 * filtered_stacks swaps|jumps: behind a filter that allows all system calls,
 * work continues on another stack, which is left by swapcontext or repeated by
 * longjmp. A further stack, on which the same functions were called, was
 * directly behind it; it was unmapped before the filter was installed.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>

#define STACK_BYTES 65536
#define ROUNDS      50

static ucontext_t outside, inside;
static jmp_buf landing;
static int is_jumping;

static COUNTED int work(int n)
{
	COUNT(work);
	volatile int sum = n; /* or the recursion becomes a loop */

	if (n > 0)
		sum += work(n - 1);
	return sum;
}

static COUNTED void jump(void)
{
	COUNT(jump);
	longjmp(landing, 1);
}

static COUNTED void yield(void)
{
	COUNT(yield);
	swapcontext(&inside, &outside);
}

static COUNTED int resume(int times);

/* A function without caller: clew looks for one beyond the end of its stack. */
static void on_stack(void)
{
	resume(0);
	for (volatile int i = 0; i < ROUNDS; i++) {
		work(i % 10);
		if (!is_jumping)
			yield();
		else if (!setjmp(landing))
			jump();
	}
	swapcontext(&inside, &outside);
}

static COUNTED int resume(int times)
{
	COUNT(resume);
	volatile int sum = work(0);

	for (int i = 0; i < times; i++) {
		swapcontext(&outside, &inside);
		sum += work(i % 3);
	}
	return sum;
}

static COUNTED void run_on(char *stack)
{
	COUNT(run_on);
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = STACK_BYTES;
	inside.uc_link = NULL;
	makecontext(&inside, on_stack, 0);
	resume(is_jumping ? 1 : ROUNDS + 1);
}

static int filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = { 1, &allow };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	char *stacks = mmap(NULL, 3 * STACK_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	COUNT(main);
	is_jumping = argc > 1 && !strcmp(argv[1], "jumps");
	run_on(stacks + STACK_BYTES);
	munmap(stacks + STACK_BYTES, 2 * STACK_BYTES);
	if (filter())
		return 77;
	run_on(stacks);
	puts("done");
	truth_write();
	return 0;
}
