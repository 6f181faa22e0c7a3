/* SPDX-License-Identifier: MIT */
/*
 * What a call adds to the recording, in the table and the list of the calling
 * thread (its tally): one to the count of its context, a chain of calls that is
 * known by its id; a new context's record before that. Where there is no room for
 * another context, the call counts at "(folded)" below its caller.
 *
 * Safe where count.h is. All but record_caller() count a call.
 */
#ifndef CLEW_HOT_RECORD_H
#define CLEW_HOT_RECORD_H

#include <stdint.h>

#include "preload/hot/tally.h"

/* One more call of a context, unless that is not recorded. */
enum record_known {
	RECORD_IS_UNKNOWN,
	RECORD_IS_COUNTED,
	RECORD_IS_DUE, /* counted, and its countdown is over: hot_verify() */
};

enum record_known record_known_call(struct tally *tally, uint64_t id);

/*
 * The same for the first tail call of a context, which gets an entry for these;
 * where there is no room it counts as an ordinary call.
 */
enum record_known record_first_tail_call(uint64_t id, uint64_t site);

/*
 * Record a new context below caller and count its first call. False if the call
 * must fold: there is no room, or there are as many contexts in this process as
 * there may be, or the caller is a "(folded)" itself.
 */
int record_new_call(uint64_t id, uint64_t caller, uint64_t site);

/*
 * Record a function that is running as having no calls, whatever the limit.
 * False if there is no room.
 */
int record_caller(uint64_t id, union note note);

/*
 * Count a call at "(folded)" below the nearest recorded caller, and let the
 * thread's id stay there: what is called from here folds into the same place.
 * Only where nothing can grow, and what was kept for that is used up, is it
 * below a caller further out, which is the root in the end.
 */
void record_folded_call(uint64_t caller);

/* A call that is not counted; and one for which there is no place at all. */
void record_loss(enum wire_loss cause);
void record_want_of_room(void);

/*
 * A random number; and calls of a context between two looks at whether to verify,
 * as a count's field holds them, one in record_look_period() being looked at.
 */
uint64_t record_draw(void);
uint64_t record_draw_countdown(void);
uint64_t record_look_period(void);

#endif
