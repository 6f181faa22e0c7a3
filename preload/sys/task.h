/* SPDX-License-Identifier: MIT */
/*
 * Tasks: threads of clew in the program's process that libc does not know.
 *
 * A task shares memory and signal handlers with the process but has a thread
 * pointer of its own, so the thread that has started it may exit first. The
 * task has only clew's thread-local variables, all 0. The task starts with the
 * thread's signal mask, in which all signals must be blocked.
 *
 * A descriptor that a task opens is a number in the program's table. Any thread
 * may close it and reuse the number, and the task's next operation would act on
 * that file. Therefore a task leaves that table first, or starts with a copy of
 * it.
 */
#ifndef CLEW_SYS_TASK_H
#define CLEW_SYS_TASK_H

#include <stdint.h>

struct task {
	_Atomic int32_t tid; /* the kernel stores 0 when the task has ended */
	unsigned char *stack;
};

enum task_descriptors {
	TASK_SHARES_DESCRIPTORS,
	/* copies keep the program's files open while the task runs */
	TASK_COPIES_DESCRIPTORS,
};

/*
 * Starts function(argument) in a task. The function must end by task_exit().
 * All signals must be blocked. Maps a stack if the task has none. Returns 0 or
 * -errno.
 */
int task_start(struct task *task, enum task_descriptors descriptors,
	       void (*function)(void *), void *argument);

/*
 * Called in the task: replaces the descriptor table by an empty one of its own.
 * Returns 0, or -errno with everything unchanged, for example before Linux 5.9.
 */
int task_leave_descriptors(void);

/* Ends the task. Called in it. */
_Noreturn void task_exit(void);

/*
 * Waits until the task has ended and the kernel no longer counts it: some
 * system calls require a process with one thread.
 */
void task_join(struct task *task);

/* Unmaps the stack of a task that has ended. */
void task_free(struct task *task);

#endif
