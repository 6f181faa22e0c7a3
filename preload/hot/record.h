/* SPDX-License-Identifier: MIT */
/*
 * Records calls in the tally of the calling thread: adds one to the count of
 * the call's context (a chain of calls, identified by an id), after recording
 * the context if it is new. If there is no room for another context, the call
 * counts at "(folded)" below its caller.
 *
 * All functions are safe where those of count.h are.
 */
#ifndef CLEW_HOT_RECORD_H
#define CLEW_HOT_RECORD_H

#include <stdint.h>

#include "preload/hot/tally.h"

/*
 * Counts a call of the context `id` in this tally, if the tally has recorded
 * the context.
 */
enum record_known {
	RECORD_IS_UNKNOWN, /* not recorded, so nothing was counted */
	RECORD_IS_COUNTED,
	/* Counted, and the countdown has expired: call hot_verify(). */
	RECORD_IS_DUE,
};

enum record_known record_known_call(struct tally *tally, uint64_t id);

/*
 * Counts the first tail call of a context that is recorded already. A context
 * has one entry for its ordinary calls and another for its tail calls. If there
 * is no room for the second one, the call counts as an ordinary call. Returns
 * RECORD_IS_UNKNOWN if the context is not recorded; nothing is counted then.
 */
enum record_known record_first_tail_call(uint64_t id, uint64_t site);

/*
 * Records a new context below `caller` and counts its first call. Returns false
 * if the call must fold: there is no room, the process has as many contexts as
 * allowed, the caller is a "(folded)" itself, or no function's key leads from
 * `caller` to `id`.
 */
int record_new_call(uint64_t id, uint64_t caller, uint64_t site);

/*
 * Records the context of a running function, with a count of 0, even beyond the
 * limit of contexts. Returns false if there is no room.
 */
int record_caller(uint64_t id, union note note);

/*
 * Counts a call at "(folded)" below the nearest recorded caller. The thread's
 * id becomes that of this "(folded)", so calls that the function makes count
 * there as well. If nothing can grow and the reserve for "(folded)" is used up,
 * the call counts below a caller further out, in the end below the root. If
 * even that fails, the call is lost.
 */
void record_folded_call(uint64_t caller);

/*
 * record_loss() counts a lost call under its cause. record_want_of_room()
 * counts a call that is lost because clew cannot get memory, and selects the
 * cause: a system call filter, a child without a part, or no space.
 */
void record_loss(enum wire_loss cause);
void record_want_of_room(void);

/*
 * record_draw() returns a random number. record_draw_countdown() draws the
 * number of calls until the next check whether to verify a context's call,
 * shifted as in a count's field. On average one call in
 * record_check_period() is checked.
 */
uint64_t record_draw(void);
uint64_t record_draw_countdown(void);
uint64_t record_check_period(void);

#endif
