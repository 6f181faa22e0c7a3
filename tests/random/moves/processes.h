/* SPDX-License-Identifier: MIT */
/*
 * New processes and programs: fork(), exec() of the program itself, which then
 * plays one short round, vfork(), posix_spawn() and system().
 */
#ifndef CLEW_TESTS_RANDOM_PROCESSES_H
#define CLEW_TESTS_RANDOM_PROCESSES_H

#include <spawn.h>

#define PROCESS_AGAIN                                                          \
	{                                                                      \
		(char *)"play", (char *)"again", NULL                          \
	}

extern char **environ;

/* Sets the limits of a forked child, which are tighter than its parent's. */
TRUTH_INLINE void processes_begin(void)
{
	TRUTH_FORKED();
	be_apart();
	play.budget = play.budget < 200 ? play.budget : 200;
	play.forks = 0;
	play.threads = 0;
}

TRUTH_INLINE int processes_may(void)
{
	if (play.forks <= 0)
		return 0;
	play.forks--;
	fflush(stdout);
	return 1;
}

TRUTH_INLINE long processes_wait(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

/* Returns 0 in a new child, -1 if there may be none, or the child's pid. */
TRUTH_INLINE pid_t processes_fork(void)
{
	pid_t child;

	if (!processes_may())
		return -1;
	child = fork();
	if (child == 0)
		processes_begin();
	return child;
}

/* Writes the calls of a child that is about to end or to execute a program. */
TRUTH_INLINE void processes_end(void)
{
	fflush(stdout);
	truth_write();
}

TRUTH_INLINE long move_fork(function body, long n)
{
	const pid_t child = processes_fork();

	if (child == 0) {
		body(n);
		processes_end();
		_exit((int)(n & 15));
	}
	return child < 0 ? 0 : processes_wait(child);
}

TRUTH_INLINE long move_exec(function body, long n)
{
	char *const argv[] = PROCESS_AGAIN;
	const pid_t child = processes_fork();

	if (child == 0) {
		body(n);
		execve("/nonexistent", argv, environ);
		body(n);
		processes_end();
		execve("/proc/self/exe", argv, environ);
		_exit(99);
	}
	return child < 0 ? 0 : processes_wait(child);
}

/* The child of vfork() counts in its parent's memory. */
static PLAYED void processes_work(void)
{
	ENTER(processes_work);
	LEAVE();
}

static PLAYED long processes_vfork(int is_executing)
{
	static char *const argv[] = PROCESS_AGAIN;
	volatile uint32_t here;
	pid_t child;

	ENTER(processes_vfork);
	here = TRUTH_HERE;
	child = vfork();
	if (child == 0) {
		processes_work();
		if (is_executing)
			execve("/proc/self/exe", argv, environ);
		_exit(3);
	}
	TRUTH_HERE = here;
	LEAVE();
	return processes_wait(child);
}

TRUTH_INLINE long move_vfork(function body, long n)
{
	if (!processes_may())
		return 0;
	n = processes_vfork((int)draw(2));
	return n + body(n);
}

TRUTH_INLINE long move_spawn(function body, long n)
{
	char *const argv[] = PROCESS_AGAIN;
	pid_t child;

	if (!processes_may())
		return 0;
	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ))
		return 0;
	n = processes_wait(child); /* first, as the body may not return */
	return n + body(n);
}

TRUTH_INLINE long move_shell(function body, long n)
{
	int status;

	if (!processes_may())
		return 0;
	status = system("exit 3");
	return body(n) + WEXITSTATUS(status);
}

#endif
