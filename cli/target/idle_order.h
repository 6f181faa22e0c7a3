/* SPDX-License-Identifier: MIT */
/*
 * Chooses the thread of a process to borrow for a call: one that sleeps and has
 * used little CPU time, rather than one that serves requests.
 */
#ifndef CLEW_CLI_TARGET_IDLE_ORDER_H
#define CLEW_CLI_TARGET_IDLE_ORDER_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Sorts threads. Sleeping threads precede running ones. Within each group,
 * threads that have used less CPU time come first. The process's first thread
 * is the last of the sleeping threads, but the first of the running ones,
 * because it most certainly has enough stack.
 */
void idle_order(pid_t pid, pid_t *tids, size_t count);

#endif
