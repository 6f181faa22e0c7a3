/* SPDX-License-Identifier: MIT */
/*
 * Finds out the pc of a running thread: a signal is sent to the thread, and the
 * signal's handler reports the pc that it has interrupted.
 *
 * The signal is a real-time signal that the program does not use at the moment.
 * It is sent only to threads that do not block it, and pc_query_close()
 * discards signals that have not arrived. The handler restarts an interrupted
 * system call that would fail with EINTR, if the call can be repeated.
 *
 * These functions use only system calls. Only one thread at a time may call
 * them, with all signals blocked.
 */
#ifndef CLEW_PATCH_PC_QUERY_H
#define CLEW_PATCH_PC_QUERY_H

#include <stdint.h>

#include "preload/sys/signal_return.h"

struct pc_query {
	int signal;
};

/*
 * The signal handler calls this function in the queried thread, with all
 * signals blocked. `value` is that of pc_query_send(); pc and sp are the
 * interrupted ones.
 */
typedef void (*pc_query_handler)(uint64_t value, uint64_t pc, uint64_t sp);

/*
 * Installs the handler for a free signal. Returns 0, -EAGAIN if the program
 * uses all signals, or another -errno.
 */
int pc_query_open(struct pc_query *query, pc_query_handler handler);
void pc_query_close(const struct pc_query *query);

/* Returns whether a thread that blocks these signals can be queried. */
static inline int pc_query_can_reach(const struct pc_query *query,
				     uint64_t blocked)
{
	return !(blocked & SIGNAL_BIT(query->signal));
}

/*
 * Sends the signal to a thread. Returns 0 or -errno. The handler may run at any
 * later time, even after pc_query_close(), or never.
 */
int pc_query_send(const struct pc_query *query, int tid, uint64_t value);

#endif
