/* SPDX-License-Identifier: MIT */
/*
 * Foresight: prefetches the table entries of the contexts that will probably be
 * recorded next.
 *
 * At the entry of a new context a stub waits for memory, because the line is in
 * no cache. The line's address does not follow from the latest calls. But other
 * contexts of the same function show which function it calls first, and which
 * after that. Therefore a slow path that records a context notes which function
 * preceded it below the same caller:
 *
 *	(caller's function, the callee before or none) -> callee
 *
 * The slow path then prefetches the entries of two contexts: that of the callee
 * that the new context's caller is expected to call next, and that of the new
 * context's first expected callee.
 *
 * Notes are hints only. A handler that interrupts this code stores wrong notes,
 * and functions that share an element overwrite each other's notes. A wrong
 * note makes clew fetch a cache line in vain. All functions are safe where
 * those of count.h are.
 */
#ifndef CLEW_HOT_FORESIGHT_H
#define CLEW_HOT_FORESIGHT_H

#include "preload/hot/fetch_line.h"
#include "preload/hot/recent_notes.h"
#include "wire/id.h"

/*
 * Returns the address of a note: the function that `caller` is expected to call
 * after `before`, or first if `before` is 0. The note is 0 if this is unknown.
 */
static inline uint32_t *foresight_place(struct tally *tally, uint32_t caller,
					uint32_t before)
{
	const uint32_t mixed = (uint32_t)id_key(caller) + before;

	return &tally->foresight[(uint32_t)id_key(mixed) >>
				 (32 - HOT_FORESIGHT_LOG2)];
}

/*
 * Prefetches the home entry of the function's context below `id`. Does nothing
 * if function is 0.
 */
static inline void foresight_fetch(const struct view *view, uint64_t id,
				   uint32_t function)
{
	const uint64_t home =
		wire_count_home(id_push(id, id_key(function)), view->mask);

	if (function)
		fetch_line(&view->table[home]);
}

/*
 * Notes that a context of `function` with this id is about to be recorded, and
 * prefetches the entries of the two contexts that are expected next. `caller`
 * is the caller's context, for which recent_note_of() has just been called, or
 * the root.
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
