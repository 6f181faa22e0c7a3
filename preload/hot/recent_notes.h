/* SPDX-License-Identifier: MIT */
/*
 * A small cache of notes (a context's function and depth, tally.h): those of
 * contexts that were recorded recently, or from which a new context was called.
 *
 * Recording a new context reads its caller's note twice. The caller's entry in
 * the table and its note are two lines that may have left the CPU's caches. A
 * context's note never changes, so cached notes are valid as long as the tally
 * exists.
 *
 * A signal handler may store another context's note between two accesses, so
 * that the two words of an element do not fit together. Readers notice the
 * mismatch and read the table instead. All functions are safe where those of
 * count.h are.
 *
 * An element also holds the function whose context was recorded last below the
 * element's context (foresight.h). That word is a hint and may belong to
 * another context.
 */
#ifndef CLEW_HOT_RECENT_NOTES_H
#define CLEW_HOT_RECENT_NOTES_H

#include "preload/hot/tally.h"

static inline struct recent_note *recent_note_place(struct tally *tally,
						    uint64_t id)
{
	return &tally->recent[id >> 32 & (HOT_RECENT - 1)];
}

/* Caches the note of a context whose id is in the table already. */
static inline void recent_note_keep(struct tally *tally, uint64_t id,
				    union note note)
{
	volatile struct recent_note *place = recent_note_place(tally, id);

	place->last_callee = 0;
	place->word = note.word;
	place->mixed = id ^ note.word;
}

/* Returns the same as tally_note(), and caches the note. */
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
