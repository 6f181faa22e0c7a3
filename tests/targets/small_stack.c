/* SPDX-License-Identifier: MIT */
/*
 * small_stack PROGRAM: a handler on an alternate stack of little more than the
 * minimal size executes the program with another environment. The page before
 * that stack is not accessible.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <signal.h>

#include "tests/targets/spare_stack.h"

#define SPARE 2560

static char *program;

static COUNTED void on_signal(int signal)
{
	char *const argv[] = { program, NULL };
	char *const environment[] = { "NAME=value", NULL };

	COUNT(on_signal);
	execve(program, argv, environment);
	_exit(3);
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_signal,
					  .sa_flags = SA_ONSTACK };

	COUNT(main);
	if (argc < 2 || use_spare_stack(SPARE) ||
	    sigaction(SIGUSR1, &action, NULL))
		return 1;
	program = argv[1];
	raise(SIGUSR1);
	return 2;
}
