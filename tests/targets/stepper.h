/* SPDX-License-Identifier: MIT */
/*
 * Delivers a signal at every instruction of a program between two marks.
 *
 * stepper_start() creates a child in which the program continues; the parent
 * traces the child and exits with its status. Between STEPPER_BEGIN() and
 * STEPPER_END() the child advances by single steps, and SIGUSR1 is delivered
 * before the wanted instruction. The handler calls STEPPER_HANDLED() at its
 * end, or jumps to the code before STEPPER_END(). A blocked signal arrives when
 * it is unblocked.
 */
#ifndef CLEW_TESTS_STEPPER_H
#define CLEW_TESTS_STEPPER_H

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum stepper_mark {
	STEPPER_NONE,
	STEPPER_AT_BEGIN,
	STEPPER_AT_HANDLED,
	STEPPER_AT_END
};

/* Shared by both processes. */
struct stepper {
	volatile int mark;   /* the last mark that the child has reached */
	volatile int wanted; /* number of the step to interrupt */
	volatile int was_interrupted; /* since the last STEPPER_BEGIN() */
	volatile int signals;
	int pid; /* pid of the child */
};

#define STEPPER_FLAG 0x100L /* TF */

static struct stepper *stepper;

/*
 * Only a traced process may reach a breakpoint, not the child's own children.
 */
#define STEPPER_MARK(which)                                                    \
	do {                                                                   \
		stepper->mark = (which);                                       \
		__asm__ volatile("int3" ::: "memory");                         \
	} while (0)
#define STEPPER_BEGIN()   STEPPER_MARK(STEPPER_AT_BEGIN)
#define STEPPER_HANDLED() STEPPER_MARK(STEPPER_AT_HANDLED)
#define STEPPER_END()     STEPPER_MARK(STEPPER_AT_END)

static int stepper_status; /* of the child, after its end */

/* Continues the child. Returns the signal that stopped it, 0 after its end. */
static int stepper_go(int how, int signal)
{
	if (ptrace(how, stepper->pid, NULL, (void *)(long)signal) ||
	    waitpid(stepper->pid, &stepper_status, __WALL) != stepper->pid)
		return 0;
	return WIFSTOPPED(stepper_status) ? WSTOPSIG(stepper_status) : 0;
}

/* Returns which breakpoint stopped the child, or STEPPER_NONE. */
static int stepper_mark(int stop)
{
	siginfo_t info;

	if (stop != SIGTRAP ||
	    ptrace(PTRACE_GETSIGINFO, stepper->pid, NULL, &info) ||
	    info.si_code != SI_KERNEL)
		return STEPPER_NONE;
	return stepper->mark;
}

/*
 * Returns whether the child stopped because it has restored flags that it saved
 * while it was being stepped: they contain TF, which is cleared here.
 */
static int stepper_has_stepped(int stop)
{
	void *const at = (void *)offsetof(struct user, regs.eflags);
	siginfo_t info;
	long flags;

	if (stop != SIGTRAP ||
	    ptrace(PTRACE_GETSIGINFO, stepper->pid, NULL, &info) ||
	    info.si_code != TRAP_TRACE)
		return 0;
	flags = ptrace(PTRACE_PEEKUSER, stepper->pid, at, NULL);
	return !ptrace(PTRACE_POKEUSER, stepper->pid, at,
		       (void *)(flags & ~STEPPER_FLAG));
}

/*
 * Runs the child up to a mark and delivers signals that arrive. Returns 0 after
 * its end.
 */
static int stepper_run_to_mark(int signal)
{
	int mark, has_stepped;

	do {
		signal = stepper_go(PTRACE_CONT, signal);
		mark = stepper_mark(signal);
		has_stepped = stepper_has_stepped(signal);
		if (has_stepped)
			signal = 0;
	} while ((signal || has_stepped) && !mark);
	return mark;
}

/* After the interruption, the child continues without single steps. */
static void stepper_interrupt(void)
{
	int mark = stepper_run_to_mark(SIGUSR1);

	stepper->signals++;
	stepper->was_interrupted = 1;
	if (mark == STEPPER_AT_HANDLED)
		stepper_run_to_mark(0);
}

static void stepper_step_to_end(void)
{
	int signal = 0, step = 0;

	stepper->was_interrupted = 0;
	for (;;) {
		signal = stepper_go(PTRACE_SINGLESTEP, signal);
		if (!signal || stepper_mark(signal))
			return;
		if (signal != SIGTRAP)
			continue;
		signal = 0;
		if (step++ != stepper->wanted)
			continue;
		stepper_interrupt();
		return;
	}
}

static void stepper_trace(void)
{
	int status;

	if (waitpid(stepper->pid, &status, __WALL) != stepper->pid ||
	    !WIFSTOPPED(status))
		exit(77);
	while (stepper_run_to_mark(0) == STEPPER_AT_BEGIN)
		stepper_step_to_end();
	if (WIFSIGNALED(stepper_status)) {
		printf("died of signal %d\n", WTERMSIG(stepper_status));
		fflush(stdout);
		exit(1);
	}
	exit(WEXITSTATUS(stepper_status));
}

/*
 * Returns in the child. The parent exits here, with status 77 if no child can
 * be created.
 */
static void stepper_start(void)
{
	stepper = (struct stepper *)mmap(NULL, sizeof(*stepper),
					 PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	stepper->pid = fork();
	if (stepper->pid > 0)
		stepper_trace();
	stepper->pid = getpid();
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(77);
	raise(SIGSTOP);
}

#endif
