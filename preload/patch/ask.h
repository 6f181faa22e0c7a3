/* SPDX-License-Identifier: MIT */
/*
 * Queries where a running thread is: the thread reports it in a signal handler.
 *
 * The signal is a real-time signal that the program does not use at the moment,
 * sent only to threads that do not block it; none stays pending afterwards. A
 * system call that it interrupts is restarted if libc would let it fail with
 * EINTR, unless it cannot be repeated.
 *
 * Uses only system calls. One caller at a time, with all signals blocked.
 */
#ifndef CLEW_PATCH_ASK_H
#define CLEW_PATCH_ASK_H

#include <stdint.h>

#include "preload/sys/signal_return.h"

struct ask {
	int signal;
};

/*
 * Called in the handler of the queried thread, with all signals blocked: with
 * ask_thread()'s value, and the interrupted pc and sp.
 */
typedef void (*ask_taker)(uint64_t value, uint64_t pc, uint64_t sp);

/*
 * Takes a free signal. Returns 0; -EAGAIN if the program uses all, or another
 * -errno.
 */
int ask_open(struct ask *ask, ask_taker taker);
void ask_close(const struct ask *ask);

/* Returns whether a thread with this mask of blocked signals can be queried. */
static inline int ask_is_heard(const struct ask *ask, uint64_t blocked)
{
	return !(blocked & SIGNAL_BIT(ask->signal));
}

/*
 * Queries a thread. Returns 0 or -errno. The answer arrives later or never,
 * perhaps after ask_close().
 */
int ask_thread(const struct ask *ask, int tid, uint64_t value);

#endif
