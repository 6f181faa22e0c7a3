/* SPDX-License-Identifier: MIT */
/*
 * small_stack PROGRAM: a handler on an alternate stack, which has not much more
 * room than the kernel demands, executes the program in an environment of its
 * own. The page in front of that stack is not there.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define PAGE       4096
#define SPARE      2560
#define STACK_ROOM (16 * PAGE)

static char *program;

static COUNTED void on_signal(int signal)
{
	char *const argv[] = { program, NULL };
	char *const environment[] = { "NAME=value", NULL };

	COUNT(on_signal);
	execve(program, argv, environment);
	_exit(3);
}

/* Which ends where the memory does, so that it may begin behind nothing. */
static int use_small_stack(void)
{
	const size_t bytes = getauxval(AT_MINSIGSTKSZ) + SPARE;
	char *memory = mmap(NULL, STACK_ROOM, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const size_t whole = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
	const stack_t stack = {
		.ss_sp = memory + STACK_ROOM - whole,
		.ss_size = bytes,
	};

	return mprotect(memory + STACK_ROOM - whole, whole,
			PROT_READ | PROT_WRITE) ||
	       sigaltstack(&stack, NULL);
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_signal,
					  .sa_flags = SA_ONSTACK };

	COUNT(main);
	if (argc < 2 || use_small_stack() || sigaction(SIGUSR1, &action, NULL))
		return 1;
	program = argv[1];
	raise(SIGUSR1);
	return 2;
}
