/* SPDX-License-Identifier: MIT */
/*
 * Chooses the thread of a process in which clew makes a call: preferably a
 * thread that sleeps and has used little CPU time, and not a thread that works
 * for users of the program.
 */
#ifndef CLEW_CLI_TARGET_IDLE_ORDER_H
#define CLEW_CLI_TARGET_IDLE_ORDER_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Sorts the ids of threads. Sleeping threads come before threads in other or
 * unknown states, here called running, and in each of these two groups, threads
 * that have used less CPU time come first. But the process's first thread comes
 * last among the sleeping threads, and first among the running threads, because
 * it most probably has enough stack.
 */
void idle_order(pid_t pid, pid_t *tids, size_t count);

#endif
