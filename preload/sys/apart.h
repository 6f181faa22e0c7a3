/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that are invisible to the program.
 *
 * A descriptor is a number in a table that the threads of a process share. If
 * clew opens a file in the program's process, another thread may close the
 * number and open another file there before clew has used it. That file is then
 * read, written, mapped or closed. Besides, while the number is taken the
 * program gets other numbers than natively.
 *
 * Therefore the runtime keeps no descriptors, and opens files to write or map
 * only where no other thread can see them:
 *
 * - while the process has one thread, with signals blocked;
 * - otherwise in a task (task.h) with an empty descriptor table of its own.
 *   Mappings of the task are mappings of the process.
 *
 * Files that are only read, such as /proc (proc.h), are opened briefly in the
 * program's table: if another thread reuses the number, the text that is read
 * is another file's and does not parse.
 */
#ifndef CLEW_SYS_APART_H
#define CLEW_SYS_APART_H

/*
 * Calls a function that opens files and closes them again. Returns its result,
 * or -errno if no task is possible. All signals are blocked in the function.
 * The function may run in a task, and may run again if it returns -EMFILE. Any
 * thread may call this function, except within a function that is called this
 * way.
 */
int apart_call(int (*function)(void *argument), void *argument);

/*
 * Does the same, but always in a task: a thread that a tracer has stopped would
 * stop at each system call.
 */
int apart_call_in_task(int (*function)(void *argument), void *argument);

/*
 * Does the same if the process has one thread only; otherwise returns -EAGAIN.
 */
int apart_call_alone(int (*function)(void *argument), void *argument);

#endif
