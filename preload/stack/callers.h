/* SPDX-License-Identifier: MIT */
/*
 * Callers that the calling thread has no record of.
 *
 * Nearly always the caller of a new context has a record in the thread's tally.
 * Not so
 *
 *	in a forked child	its parent has recorded the functions it is in;
 *	after fork()		atfork handlers, called by functions of libc's
 *				that were entered while nothing was counted;
 *	after a clone()		that shared our thread pointer, likewise;
 *	in another thread	which goes on with a coroutine;
 *	after a full disk	that has room again.
 *
 * The stack tells who the callers are: they are recorded like others, as having
 * no calls, so that what they call stands below them and not below nobody.
 */
#ifndef CLEW_STACK_CALLERS_H
#define CLEW_STACK_CALLERS_H

#include "preload/hot/tally.h"

/*
 * In a forked child: the functions that its thread is in are recorded when it needs
 * them, as most children need none before they execute another program: with the
 * first call, as all callers are, or by callers_take_up(). False if that would not
 * find them all, so that they must be inherited at once. `old`: as below.
 */
int callers_can_wait(const struct tally *old);

/* The calling thread has a tally and these functions in it, if it was left to wait. */
void callers_take_up(void);

/*
 * In a forked child: record, in the calling thread's tally, the functions that
 * it is in. `old` is the parent's tally of this thread.
 */
void callers_inherit(const struct tally *old);

#endif
