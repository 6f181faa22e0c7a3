/* SPDX-License-Identifier: MIT */
/*
 * Notes of contexts that were recorded, or called new ones, lately (tally.h).
 *
 * Whoever records a new context needs its caller's note, twice. The caller has mostly
 * been recorded or asked for a moment ago, while its entry in the table, and its note,
 * are two lines that may be in no cache any more. A context's note never changes, so
 * what is here is right for as long as the tally is.
 *
 * Either word of a place may be another context's, whose handler has come between two
 * accesses: then they do not fit together. Safe where count.h is.
 *
 * A place also keeps the function whose context was recorded last below its own
 * (foresight.h): nobody relies on that, so it may be another's.
 */
#ifndef CLEW_HOT_RECENT_NOTES_H
#define CLEW_HOT_RECENT_NOTES_H

#include "preload/hot/tally.h"

static inline struct recent_note *recent_note_place(struct tally *tally,
						    uint64_t id)
{
	return &tally->recent[id >> 32 & (HOT_RECENT - 1)];
}

/* Only of a context whose id is in the table already. */
static inline void recent_note_keep(struct tally *tally, uint64_t id,
				    union note note)
{
	volatile struct recent_note *place = recent_note_place(tally, id);

	place->last_callee = 0;
	place->word = note.word;
	place->mixed = id ^ note.word;
}

/* As tally_note() says. */
static inline union note recent_note_of(struct tally *tally, uint64_t id)
{
	const volatile struct recent_note *place = recent_note_place(tally, id);
	union note note = { .word = place->word };

	if ((place->mixed ^ note.word) == id && note.word)
		return note;
	note = tally_note(tally, id);
	if (note.word)
		recent_note_keep(tally, id, note);
	return note;
}

#endif
