/* SPDX-License-Identifier: MIT */
/*
 * Tasks of ours: threads of the program's process that libc knows nothing of.
 *
 * A task shares everything with the thread that starts it but the thread pointer:
 * that thread may end first. Of thread-local variables it has ours only, all 0. It
 * starts with that thread's signal mask, in which all signals have to be blocked.
 *
 * A descriptor that a task opens is a number in the program's table, where any
 * thread may close it and get it for a file of its own: what a task does to it
 * next would be done to that file. So a task takes leave of that table first.
 */
#ifndef CLEW_SYS_TASK_H
#define CLEW_SYS_TASK_H

#include <stdint.h>

struct task {
	_Atomic int32_t tid; /* 0: it has ended; the kernel clears it */
	unsigned char *stack;
};

enum task_descriptors {
	TASK_SHARES_DESCRIPTORS,
	TASK_COPIES_DESCRIPTORS, /* the program's files stay open meanwhile */
};

/*
 * Starts function(argument), which ends by task_exit(). All signals blocked. A
 * stack is mapped where the task has none. 0 or -errno.
 */
int task_start(struct task *task, enum task_descriptors descriptors,
	       void (*function)(void *), void *argument);

/*
 * In the task: go on with a table of descriptors that is empty and its own. 0,
 * or -errno with everything as it was: Linux before 5.9 cannot do that.
 */
int task_leave_descriptors(void);

/* In the task, as its last. */
_Noreturn void task_exit(void);

/*
 * Waits until it has ended, and until the kernel does not count it any more
 * either: there are system calls that want a process with one thread.
 */
void task_join(struct task *task);

/* Unmaps the stack of a task that has ended. */
void task_free(struct task *task);

#endif
