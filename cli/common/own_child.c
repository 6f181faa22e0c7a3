/* SPDX-License-Identifier: MIT */
/* See own_child.h. */
#include "cli/common/own_child.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

_Noreturn void own_child_become(char **argv)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	execv("/proc/self/exe", argv);
	_exit(127);
}
