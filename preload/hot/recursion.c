/* SPDX-License-Identifier: MIT */
/* See recursion.h. */
#include "preload/hot/recursion.h"

#include "preload/hot/large_table.h"
#include "preload/hot/runtime.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "wire/id.h"

uint32_t hot_recursion_folds;
struct hot_way hot_ways[1 << HOT_WAYS_LOG2] LARGE_TABLE;

void recursion_begin(void)
{
	rt.header->fold_beyond = rt.fold_beyond;
	rt.header->folds_recursion = 1;
	__atomic_store_n(&hot_recursion_folds, 1, __ATOMIC_SEQ_CST);
}

void recursion_inherit(void)
{
	if (hot_recursion_folds)
		rt.fold_beyond = 0;
}

void recursion_forget(void)
{
	if (!hot_recursion_folds)
		return; /* a store would allocate a page */
	for (unsigned int i = 0; i < 1 << HOT_WAYS_LOG2; i++)
		hot_ways[i] = (struct hot_way){ 0 };
	hot_recursion_folds = 0;
}

/*
 * Returns the innermost context of `function` among `from` and its callers, or
 * ID_ROOT if it is not among the next RECURSION_REACH or not as deep as
 * `least_depth`.
 */
static uint64_t find_on_way(const struct tally *tally, uint64_t from,
			    uint32_t function, uint32_t least_depth)
{
	for (int i = 0; from != ID_ROOT && i < RECURSION_REACH; i++) {
		const union note note = tally_note(tally, from);

		if (note.depth < least_depth || note.function == WIRE_FOLDED)
			return ID_ROOT;
		if (note.function == function)
			return from;
		from = id_pop(from, id_key(note.function));
	}
	return ID_ROOT;
}

/*
 * Makes the ancestry that of a recorded context of this depth. Writes only what
 * differs from the former one. Returns 0 if a caller is not recorded or too
 * deep.
 */
static int find_ancestry(struct tally *tally, uint64_t id, uint32_t depth)
{
	struct hot_ancestry *ancestry = &tally->ancestry;
	const uint32_t former = ancestry->depth;

	if (depth >= HOT_ANCESTRY_DEPTH)
		return 0;
	ancestry->depth = 0;
	/* a signal handler may jump out of here */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	for (uint32_t at = depth; at > 0; at--) {
		union note note;

		if (at <= former && ancestry->ids[at] == id)
			break;
		note = tally_note(tally, id);
		if (note.depth != at)
			return 0;
		ancestry->ids[at] = id;
		ancestry->functions[at] = note.function;
		id = id_pop(id, id_key(note.function));
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ancestry->depth = depth;
	return 1;
}

/*
 * Like find_on_way() for a caller of any depth, and faster for callers that
 * follow each other. Called by slow paths only.
 */
static uint64_t find_in_ancestry(struct tally *tally, uint64_t from,
				 uint32_t function)
{
	const struct hot_ancestry *ancestry = &tally->ancestry;
	uint32_t at = tally_note(tally, from).depth;

	if (tally->busy != 1 || !find_ancestry(tally, from, at))
		return find_on_way(tally, from, function, 1);
	while (at > 0 && ancestry->functions[at] != function &&
	       ancestry->functions[at] != WIRE_FOLDED)
		at--;
	return at > 0 && ancestry->functions[at] == function ? ancestry->ids[at]
							     : ID_ROOT;
}

/*
 * Returns the element for `id` in the cache of recent results. Another thread
 * or a signal handler may store another result between two accesses. recall()
 * notices that the two words do not fit together.
 */
static struct hot_way *way_of(uint64_t id)
{
	return &hot_ways[id >> (64 - HOT_WAYS_LOG2)];
}

static uint64_t recall(const struct hot_way *way, uint64_t id)
{
	const volatile struct hot_way *now = way;
	const uint64_t found = now->found;

	return (now->mixed ^ found ^ id) == (uintptr_t)hot.table ? found
								 : ID_ROOT;
}

static void keep(struct hot_way *way, uint64_t id, uint64_t found)
{
	volatile struct hot_way *now = way;

	now->found = found;
	now->mixed = id ^ found ^ (uintptr_t)hot.table;
}

static uint64_t fold(uint64_t caller, uint64_t id, int is_slow_path)
{
	struct tally *tally = hot.tally;
	uint32_t function;
	uint64_t found;

	if (!tally || tally->wire->contexts < rt.fold_beyond)
		return id;
	found = recall(way_of(id), id);
	if (found != ID_ROOT)
		return found;
	if (!id_key_function(id_key_between(caller, id), &function))
		return id;
	found = is_slow_path ? find_in_ancestry(tally, caller, function)
			     : find_on_way(tally, caller, function, 1);
	if (found == ID_ROOT)
		return id;
	keep(way_of(id), id, found);
	return found;
}

uint64_t recursion_fold(uint64_t caller, uint64_t id)
{
	return fold(caller, id, 1);
}

uint64_t recursion_runs_as(uint64_t caller, uint64_t id)
{
	const struct tally *tally = hot.tally;

	return hot_recursion_folds && tally && !tally_note(tally, id).word
		       ? fold(caller, id, 0)
		       : id;
}

void recursion_use_tally(const struct tally *tally)
{
	rt.folded_in = tally;
}

/*
 * Returns the note of the function that runs as `id`, which is empty if the
 * context is not recorded, and sets *in to the tally that has it.
 */
static union note note_of_function(uint64_t id, const struct tally **in)
{
	const struct tally *tally = rt.folded_in ? rt.folded_in : hot.tally;
	union note note = { .word = 0 };

	*in = tally;
	if (hot_recursion_folds && tally && id != ID_ROOT)
		note = tally_note(tally, id);
	if (note.function == WIRE_FOLDED)
		note.word = 0;
	return note;
}

uint32_t recursion_function_of(uint64_t id)
{
	const struct tally *tally;

	return note_of_function(id, &tally).function;
}

uint32_t recursion_function_between(uint64_t caller, uint64_t id)
{
	const struct tally *tally;
	const union note note = note_of_function(id, &tally);

	return note.word && find_on_way(tally, caller, note.function,
					note.depth) == id
		       ? note.function
		       : 0;
}
