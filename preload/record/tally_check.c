/* SPDX-License-Identifier: MIT */
/* See tally_check.h. */
#include "preload/record/tally_check.h"

#include "preload/hot/runtime.h"
#include "preload/record/numbers.h"
#include "preload/record/recorder.h"
#include "preload/record/tables.h"
#include "wire/id.h"

/* The state of a walk. */
struct walk_of_tally {
	const struct tally *tally;
	/* callers are being recorded at this moment, so some may be missing */
	int is_amid;
	/* no slow path was ever interrupted, so nothing may be half-done */
	int is_quiet;
	uint64_t entries; /* number of used entries */
	uint64_t records;
	enum violation found; /* the violation found in a record */
};

/* ---- The table ---- */

static enum violation check_mapping(const struct tally *tally)
{
	const struct mapping *active = &tally->memory.active;
	const uint64_t bytes = sizeof(struct wire_count) << active->log2;
	const uint64_t ref = tally->wire->table;
	const uint64_t at = wire_table_offset(ref);
	const uint64_t start =
		active->chunk.head ? active->chunk.offset : tally->memory.chunk;
	const uint64_t size =
		active->chunk.head ? active->chunk.bytes : tally_chunk_bytes();

	if (active->table != tally->table || active->notes != tally->notes ||
	    tally->mask != (UINT64_C(1) << active->log2) - 1 ||
	    wire_table_log2(ref) != active->log2 || at < start ||
	    at + bytes > start + size)
		return VIOLATION_IS_TALLY_TABLE;
	return VIOLATION_IS_NONE;
}

/* Searches all tallies, because a coroutine may continue in another thread. */
static int is_recorded(uint64_t id)
{
	for (const struct tally *t = rt.recorder->tallies.first; t; t = t->next)
		if (tally_note(t, id).word)
			return 1;
	return 0;
}

/*
 * Returns whether the depth of a context is right: one more than the caller's,
 * or 1 if a coroutine's context was recorded before its caller.
 */
static int has_right_depth(union note note, union note above)
{
	return note.depth == above.depth + 1 || note.depth == 1;
}

/*
 * Returns whether the entry is that of a context's tail calls (wire_tail_id()).
 */
static int is_tail_entry(const struct tally *tally, uint64_t id,
			 union note note)
{
	return tally_note(tally, wire_tail_id(id)).word == note.word;
}

static enum violation check_place(const struct walk_of_tally *walk, uint64_t id,
				  union note note)
{
	const uint64_t caller = id_pop(id, id_key(note.function));
	union note above = { .word = 0 };

	if (note.function != WIRE_FOLDED && !numbers_find(note.function))
		return VIOLATION_IS_TALLY_FUNCTION;
	if (caller != ID_ROOT)
		above = tally_note(walk->tally, caller);
	if (caller != ID_ROOT && !above.word)
		return walk->is_amid || is_recorded(caller) ||
				       is_tail_entry(walk->tally, id, note)
			       ? VIOLATION_IS_NONE
			       : VIOLATION_IS_TALLY_CALLER;
	if (!has_right_depth(note, above))
		return VIOLATION_IS_TALLY_DEPTH;
	/* "(folded)" never calls another context */
	if (above.function == WIRE_FOLDED ||
	    (note.function == WIRE_FOLDED && !walk->tally->has_folds))
		return VIOLATION_IS_TALLY_FOLDS;
	return VIOLATION_IS_NONE;
}

static enum violation check_entry(struct walk_of_tally *walk, uint64_t i)
{
	const struct tally *tally = walk->tally;
	const struct wire_count *entry = &tally->table[i];
	const struct wire_count *found;

	if (entry->id)
		walk->entries++;
	if (!wire_is_counted(entry))
		return entry->id && walk->is_quiet ? VIOLATION_IS_TALLY_CLAIM
						   : VIOLATION_IS_NONE;
	if (!tally->notes[i].word)
		return VIOLATION_IS_TALLY_CLAIM;
	found = tally_find(tally, entry->id);
	if (found->id != entry->id)
		return VIOLATION_IS_TALLY_LOOKUP;
	if (found != entry)
		return walk->is_quiet ? VIOLATION_IS_TALLY_TWICE
				      : VIOLATION_IS_NONE;
	return check_place(walk, entry->id, tally->notes[i]);
}

/*
 * Returns whether the table has a free entry. Without one a search would not
 * end.
 */
static int has_free_entry(const struct tally *tally)
{
	for (uint64_t i = 0; i <= tally->mask; i++)
		if (!tally->table[i].id)
			return 1;
	return 0;
}

static enum violation check_entries(struct walk_of_tally *walk)
{
	const struct tally *tally = walk->tally;
	enum violation found;

	if (!has_free_entry(tally))
		return VIOLATION_IS_TALLY_FULL;
	for (uint64_t i = 0; i <= tally->mask; i++) {
		found = check_entry(walk, i);
		if (found)
			return found;
	}
	return walk->is_quiet && walk->entries != tally->used
		       ? VIOLATION_IS_TALLY_USED
		       : VIOLATION_IS_NONE;
}

/* ---- The records ---- */

static void check_record(struct walk_of_tally *walk,
			 const struct wire_context *context)
{
	union note note;

	if (!context->id || walk->found)
		return;
	walk->records++;
	note = tally_note(walk->tally, context->id);
	if (!note.word && !walk->is_quiet)
		return; /* its entry is not published yet */
	if (note.function != context->function || note.depth != context->depth)
		walk->found = VIOLATION_IS_TALLY_RECORD;
}

static void check_records_in(struct walk_of_tally *walk, const void *from,
			     uint64_t bytes)
{
	const struct wire_context *contexts = from;

	for (uint64_t i = 0; i < bytes / sizeof(*contexts); i++)
		check_record(walk, &contexts[i]);
}

static int check_chunk(void *context, const struct chunk *chunk)
{
	struct walk_of_tally *walk = context;

	if (chunk->head->owner == walk->tally->number)
		check_records_in(walk, chunk_payload(chunk),
				 chunk->bytes - sizeof(struct wire_chunk));
	return walk->found != VIOLATION_IS_NONE;
}

static enum violation check_records(struct walk_of_tally *walk,
				    const struct part *part)
{
	const struct tally *tally = walk->tally;

	check_records_in(walk, tally->wire + 1,
			 WIRE_TALLY_TABLE_OFFSET - sizeof(struct wire_chunk) -
				 sizeof(struct wire_tally));
	part_each_chunk(part, WIRE_CONTEXTS, check_chunk, walk);
	if (walk->found || !walk->is_quiet)
		return walk->found;
	return walk->records == tally->wire->contexts &&
			       walk->records == walk->entries
		       ? VIOLATION_IS_NONE
		       : VIOLATION_IS_TALLY_RECORDS;
}

/* ---- Calls that fold ---- */

static uint64_t folded_in(const struct mapping *mapping)
{
	uint64_t calls = 0;

	for (uint64_t i = 0; mapping->table && i >> mapping->log2 == 0; i++)
		if (mapping->notes[i].function == WIRE_FOLDED)
			calls += wire_calls(&mapping->table[i]);
	return calls;
}

static enum violation check_folds(const struct tally *tally)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < WIRE_FOLD_COUNT; i++)
		calls += tally->wire->folded_calls[i];
	return folded_in(&tally->memory.active) +
				       folded_in(&tally->memory.retired) ==
			       calls
		       ? VIOLATION_IS_NONE
		       : VIOLATION_IS_TALLY_FOLDS;
}

enum violation tally_check(const struct tally *tally, const struct part *part,
			   int is_amid)
{
	struct walk_of_tally walk = {
		.tally = tally,
		.is_amid = is_amid,
		.is_quiet = tally->busy <= (is_amid ? 1 : 0) &&
			    !tally->was_reentered,
	};
	enum violation found = check_mapping(tally);

	if (!found)
		found = check_entries(&walk);
	if (!found)
		found = check_records(&walk, part);
	if (!found && walk.is_quiet)
		found = check_folds(tally);
	return found;
}
