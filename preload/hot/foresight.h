/* SPDX-License-Identifier: MIT */
/*
 * Foresight: the lines of memory in which the next new contexts will be looked for.
 *
 * A stub waits for memory at the table's entry of a context that nobody has called
 * before: the line is in no cache, and what was called just now says nothing about
 * where it is. But whom a function calls first, and whom after that, is mostly known
 * from other contexts of the same function. So a slow path that records a context notes
 * which function it followed below the same caller:
 *
 *	(caller's function, the callee before or none) -> callee
 *
 * and has the processor fetch the entries of two contexts: that of the callee which its
 * caller is expected to call next, and that of its own first callee.
 *
 * These are hints. A handler that comes in between leaves wrong ones, and so do
 * functions that share a place: then a line is fetched in vain. Safe where count.h is.
 */
#ifndef CLEW_HOT_FORESIGHT_H
#define CLEW_HOT_FORESIGHT_H

#include "preload/hot/fetch_line.h"
#include "preload/hot/recent_notes.h"
#include "wire/id.h"

/*
 * Where it is noted whom a function calls after another one, or first where that is 0;
 * 0: nobody knows.
 */
static inline uint32_t *foresight_place(struct tally *tally, uint32_t caller,
					uint32_t before)
{
	const uint32_t mixed = (uint32_t)id_key(caller) + before;

	return &tally->foresight[(uint32_t)id_key(mixed) >>
				 (32 - HOT_FORESIGHT_LOG2)];
}

/* The entry of a call of that function, if it is new; 0: nobody knows which. */
static inline void foresight_fetch(const struct view *view, uint64_t id,
				   uint32_t function)
{
	const uint64_t home = id_push(id, id_key(function)) >> 4 & view->mask;

	if (function)
		fetch_line(&view->table[home]);
}

/*
 * A context is about to be recorded: that of `function`, whose caller, another function's
 * context, has been asked for by recent_note_of() just now, or is the root.
 */
static inline void foresight_note(struct tally *tally, uint64_t caller,
				  uint32_t caller_function, uint64_t id,
				  uint32_t function)
{
	uint32_t *last = &recent_note_place(tally, caller)->last_callee;
	const struct view view = tally_view(tally);

	*foresight_place(tally, caller_function, *last) = function;
	*last = function;
	foresight_fetch(&view, caller,
			*foresight_place(tally, caller_function, function));
	foresight_fetch(&view, id, *foresight_place(tally, function, 0));
}

#endif
