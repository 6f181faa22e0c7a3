/* SPDX-License-Identifier: MIT */
/*
 * Which thread of a process is missed least while it is made to call: one that
 * sleeps and has hardly ever done anything else, not the one that serves requests.
 */
#ifndef CLEW_CLI_TARGET_IDLE_ORDER_H
#define CLEW_CLI_TARGET_IDLE_ORDER_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Put threads in order: those that sleep, by the CPU time that each has used, and the
 * process's first thread behind them; then, as all run, that first, which is the
 * surest to have stack enough, and the others by their time.
 */
void idle_order(pid_t pid, pid_t *tids, size_t count);

#endif
