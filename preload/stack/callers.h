/* SPDX-License-Identifier: MIT */
/*
 * Records callers that have no record in the calling thread's tally.
 *
 * The caller of a new context usually has a record there. The caller has none
 *
 *	in a forked child	whose parent has recorded the active functions;
 *	after fork()		in atfork handlers, called by functions of libc
 *				that were entered while nothing was counted;
 *	after a clone()		that shared the thread pointer, for the same reason;
 *	in another thread	which continues a coroutine;
 *	after a full disk	that has room again.
 *
 * The stack shows the callers. These callers are recorded without calls, so
 * that their callees' contexts lie below them.
 */
#ifndef CLEW_STACK_CALLERS_H
#define CLEW_STACK_CALLERS_H

#include "preload/hot/tally.h"

/*
 * In a forked child: returns whether the thread's active functions can be
 * recorded when they are needed, since most children call exec() first. The
 * functions are then recorded with the first call, or by callers_take_up().
 * False if this would not find all, so that they must be inherited now. `old`
 * is the parent's tally.
 */
int callers_can_wait(const struct tally *old);

/*
 * Attaches the calling thread to a tally and records its active functions
 * there, if this has been deferred.
 */
void callers_take_up(void);

/*
 * In a forked child: records the active functions of the calling thread in its
 * tally. `old` is the parent's tally of this thread.
 */
void callers_inherit(const struct tally *old);

#endif
