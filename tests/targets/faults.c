/* SPDX-License-Identifier: MIT */
/*
 * faults [alternate]: a handler of SIGSEGV jumps out of the function that wrote
 * where nothing can be written, perhaps from a stack of its own.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#define ROUNDS      40
#define STACK_BYTES (1 << 17)

static sigjmp_buf env;
static volatile char *page;

static COUNTED void after(void)
{
	ENTER(after);
	LEAVE();
}

static COUNTED void on_fault(int signal)
{
	ENTER(on_fault);
	after();
	siglongjmp(env, 1);
}

static COUNTED void writes(int depth)
{
	ENTER(writes);
	if (depth > 0)
		writes(depth - 1);
	else
		*page = 1;
	LEAVE();
}

static COUNTED void lands(int depth)
{
	ENTER(lands);
	volatile uint32_t here = TRUTH_HERE;

	if (!sigsetjmp(env, 1))
		writes(depth);
	TRUTH_HERE = here;
	after();
	LEAVE();
}

static COUNTED void run(void)
{
	ENTER(run);
	for (int i = 0; i < ROUNDS; i++)
		lands(i % 5);
	LEAVE();
}

int main(int argc, char **argv)
{
	static char stack[STACK_BYTES];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_fault };

	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (argc > 1) {
		sigaltstack(&alternate, NULL);
		action.sa_flags = SA_ONSTACK;
	}
	sigaction(SIGSEGV, &action, NULL);
	run();
	printf("%d landings\n", ROUNDS);
	fflush(stdout);
	truth_write();
	return 0;
}
