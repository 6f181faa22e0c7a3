/* SPDX-License-Identifier: MIT */
/* See recursion.h. */
#include "preload/hot/recursion.h"

#include "preload/hot/runtime.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "wire/id.h"

/*
 * Returns the context of `function` among `from` and its callers, or ID_ROOT.
 */
static uint64_t find_on_way(const struct tally *tally, uint64_t from,
			    uint32_t function)
{
	uint32_t depth = UINT32_MAX;

	/* Depths must fall, so the loop ends even in a damaged table. */
	while (from != ID_ROOT) {
		const union note note = tally_note(tally, from);

		if (!note.word || note.depth >= depth ||
		    note.function == WIRE_FOLDED)
			return ID_ROOT;
		if (note.function == function)
			return from;
		depth = note.depth;
		from = id_pop(from, id_key(note.function));
	}
	return ID_ROOT;
}

/*
 * Returns the element for `id` in the cache of recent results. A signal handler
 * may store another result between two accesses. recall() notices that the two
 * words do not fit together.
 */
static struct hot_way *way_of(struct tally *tally, uint64_t id)
{
	return &tally->ways[id >> 32 & (HOT_WAYS - 1)];
}

static uint64_t recall(const struct hot_way *way, uint64_t id)
{
	const volatile struct hot_way *now = way;
	const uint64_t found = now->found;

	return (now->mixed ^ found) == id ? found : ID_ROOT;
}

static void keep(struct hot_way *way, uint64_t id, uint64_t found)
{
	volatile struct hot_way *now = way;

	now->found = found;
	now->mixed = id ^ found;
}

uint64_t recursion_runs_as(uint64_t caller, uint64_t id)
{
	struct tally *tally = hot.tally;
	uint32_t function;
	uint64_t found;

	if (!rt.folds_recursion || !tally)
		return id;
	found = recall(way_of(tally, id), id);
	if (found != ID_ROOT)
		return found;
	if (!id_key_function(id_key_between(caller, id), &function))
		return id;
	found = find_on_way(tally, caller, function);
	if (found == ID_ROOT)
		return id;
	keep(way_of(tally, id), id, found);
	return found;
}

void recursion_use_tally(const struct tally *tally)
{
	rt.folded_in = tally;
}

uint32_t recursion_function_between(uint64_t caller, uint64_t id)
{
	const struct tally *tally = rt.folded_in ? rt.folded_in : hot.tally;
	union note note;

	if (!rt.folds_recursion || !tally || id == ID_ROOT)
		return 0;
	note = tally_note(tally, id);
	if (!note.word || note.function == WIRE_FOLDED)
		return 0;
	return find_on_way(tally, caller, note.function) == id ? note.function
							       : 0;
}
