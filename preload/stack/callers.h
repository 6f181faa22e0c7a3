/* SPDX-License-Identifier: MIT */
/*
 * Records callers that have no record in the calling thread's tally.
 *
 * The caller of a new context usually has a record there. The caller has none
 *
 *	in a forked child	whose parent has recorded the active functions;
 *	after fork()		in atfork handlers, called by functions of libc
 *				that were entered while nothing was counted;
 *	after a clone()		that shared the thread pointer, for the same
 *				reason;
 *	in another thread	which continues a coroutine;
 *	after a full disk	that has room again.
 *
 * The stack shows these callers. They are recorded with a count of 0, so that
 * the contexts of their callees have parents in the tree.
 */
#ifndef CLEW_STACK_CALLERS_H
#define CLEW_STACK_CALLERS_H

#include "preload/hot/tally.h"

/*
 * Called in a forked child, with the parent's tally. Returns whether recording
 * the active functions can wait until the child's first call, or until
 * callers_take_up(). Waiting saves work, because most children call exec()
 * first. Returns false if a later search of the stack might not find all of
 * them, so that they must be inherited now.
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
