/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that the program never meets.
 *
 * A descriptor is a number in a table that the threads of a process share.
 * Whoever opens a file in a process that is not his own must expect that
 * another thread closes the number and opens another file there before he has
 * used it: the other file is then read, written, mapped or closed. And while
 * the number is taken, the program gets others than it would.
 *
 * So the runtime keeps none, and what it writes or maps it opens only where
 * nobody can see it:
 *
 *	- while the process has one thread, with signals blocked;
 *	- else in a task (task.h) with a table of descriptors of its own, which
 *	  is empty. What it maps is mapped for everybody.
 *
 * What is only read, as /proc is (proc.h), is opened for an instant like anybody's
 * files: a number that has become another's gives a text that is not understood.
 */
#ifndef CLEW_SYS_APART_H
#define CLEW_SYS_APART_H

/*
 * Calls a function that opens files, and closes them again. What it returns,
 * or -errno where no task can be had. It is called with all signals blocked,
 * perhaps in a task, and a second time if it returns -EMFILE. Any thread, but
 * not in such a function.
 */
int apart_call(int (*function)(void *argument), void *argument);

/*
 * The same, but always in a task: a thread that a tracer has stopped would stop at each
 * system call.
 */
int apart_call_in_task(int (*function)(void *argument), void *argument);

/* The same where the process has one thread only; otherwise -EAGAIN. */
int apart_call_alone(int (*function)(void *argument), void *argument);

#endif
