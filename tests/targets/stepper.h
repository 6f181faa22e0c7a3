/* SPDX-License-Identifier: MIT */
/*
 * A signal at every instruction of what a program does between two marks.
 *
 * stepper_start() makes a child in which the program goes on; the parent
 * traces it to its end and exits as it does. Between STEPPER_BEGIN() and
 * STEPPER_END() the child advances instruction by instruction, and before the
 * one that is wanted SIGUSR1 is delivered, whose handler says
 * STEPPER_HANDLED() last, or jumps to in front of STEPPER_END(). A signal that
 * is blocked arrives once it is not.
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
	volatile int mark;   /* the last one that the child has come to */
	volatile int wanted; /* the step that is to be interrupted */
	volatile int was_interrupted; /* since the last begin */
	volatile int signals;
	int pid; /* the child's */
};

#define STEPPER_FLAG 0x100L /* TF */

static struct stepper *stepper;

/* Only who is traced may come to a breakpoint: not the child's own children. */
#define STEPPER_MARK(which)                                                    \
	do {                                                                   \
		stepper->mark = (which);                                       \
		__asm__ volatile("int3" ::: "memory");                         \
	} while (0)
#define STEPPER_BEGIN()   STEPPER_MARK(STEPPER_AT_BEGIN)
#define STEPPER_HANDLED() STEPPER_MARK(STEPPER_AT_HANDLED)
#define STEPPER_END()     STEPPER_MARK(STEPPER_AT_END)

static int stepper_status; /* of the child, once it has ended */

/* Returns the signal that stopped it, 0 when it has ended. */
static int stepper_go(int how, int signal)
{
	if (ptrace(how, stepper->pid, NULL, (void *)(long)signal) ||
	    waitpid(stepper->pid, &stepper_status, __WALL) != stepper->pid)
		return 0;
	return WIFSTOPPED(stepper_status) ? WSTOPSIG(stepper_status) : 0;
}

/* Whether it was a breakpoint that stopped it, and which. */
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
 * Whether it was stopped because it has put back flags that it had saved while it was
 * advancing: the one that says so is among them, and is taken back.
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

/* Runs it up to a mark, letting through what signals come; 0: it has ended. */
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

/* Once interrupted it goes on at its own speed. */
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

/* Returns in the child; in the parent if there can be none: exit status 77. */
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
