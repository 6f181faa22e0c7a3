/* SPDX-License-Identifier: MIT */
/*
 * Asking a running thread where it is: a signal makes it tell.
 *
 * The signal is a real-time one that the program does not use at the moment,
 * sent to threads that do not block it; none of it is left over afterwards. A
 * call that it interrupts and that libc would let fail with EINTR is made
 * again, unless what was asked for cannot be asked for twice.
 *
 * System calls only. One asker at a time, with all signals blocked.
 */
#ifndef CLEW_PATCH_ASK_H
#define CLEW_PATCH_ASK_H

#include <stdint.h>

#include "preload/sys/signal_return.h"

struct ask {
	int signal;
};

/*
 * Called in the handler of a thread that was asked, all signals blocked: what it
 * was asked with, and where it was interrupted.
 */
typedef void (*ask_taker)(uint64_t value, uint64_t pc, uint64_t sp);

/* Take a signal. 0; -EAGAIN if the program uses all, or other -errno. */
int ask_open(struct ask *ask, ask_taker taker);
void ask_close(const struct ask *ask);

/* Whether a thread that blocks these signals could be asked. */
static inline int ask_is_heard(const struct ask *ask, uint64_t blocked)
{
	return !(blocked & SIGNAL_BIT(ask->signal));
}

/* 0 or -errno. The answer comes later, if at all, even after ask_close(). */
int ask_thread(const struct ask *ask, int tid, uint64_t value);

#endif
