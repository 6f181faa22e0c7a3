/* SPDX-License-Identifier: MIT */
/* See callers.h. */
#include "preload/stack/callers.h"

#include "preload/hot/record.h"
#include "preload/hot/recursion.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/stack/walk.h"
#include "wire/id.h"

#define SCAN_MAX (1 << 16) /* stack slots, 512 KiB */
/* Deepest call stack that callers_can_wait() accepts. */
#define WAITING_MAX 256

/*
 * Consecutive running functions, from some function outwards, that have no
 * record in the thread's tally, or in callers_inherit() in the parent's tally.
 */
struct gap {
	uint32_t count;
	/* depth of the caller of the outermost function of the gap */
	uint32_t depth;
	uint64_t id; /* id of that caller: recorded, ID_ROOT, or not recorded */
	/*
	 * The outermost function, if it is the first of a stack
	 * (walk_first_function()).
	 */
	uint32_t first;
};

/*
 * Called when a walk has ended after the slot `at`, and the next function
 * outwards has no record. Adds this function to the gap if it is the first
 * function of its stack.
 */
static void take_first(struct gap *gap, const struct tally *tally, uint64_t at)
{
	gap->first = walk_first_function(at, gap->id);
	if (!gap->first)
		return;
	gap->count++;
	gap->id = id_pop(gap->id, id_key(gap->first));
	gap->depth = tally_note(tally, gap->id).depth;
}

/* Returns the gap that begins with the function walk->id. */
static struct gap find_gap(const struct tally *tally, struct walk walk)
{
	struct gap gap = { 0 };
	struct link link;
	uint64_t at = walk.at;

	while (walk.id != ID_ROOT) {
		gap.depth = tally_note(tally, walk.id).depth;
		if (gap.depth || !walk_next(&walk, &link))
			break;
		gap.count++;
		if (link.at != WALK_NO_SLOT)
			at = link.at;
	}
	gap.id = walk.id;
	if (gap.id != ID_ROOT && !gap.depth)
		take_first(&gap, tally, at);
	return gap;
}

static void record_gap(const struct gap *gap, struct walk walk)
{
	for (uint32_t i = 0; i < gap->count; i++) {
		const uint64_t id = walk.id;
		const int is_last = i + 1 == gap->count;
		struct link link = { .function = gap->first };

		if (!(is_last && gap->first) && !walk_next(&walk, &link))
			return;
		if (!record_caller(id,
				   (union note){
					   .function = link.function,
					   .depth = gap->depth + gap->count - i,
				   }))
			return;
	}
}

void hot_record_callers(uint64_t callee)
{
	struct walk walk = walk_from(__builtin_frame_address(0), callee);
	struct link link;
	struct gap gap;

	if (!rt.first_block) /* nothing is hooked, so there is no shadow */
		return;
	if (!hot.tally || runtime_is_filtered() || hot.attempts_left)
		return;
	walk.scan_left = SCAN_MAX;
	if (!walk_next(&walk, &link))
		return;
	gap = find_gap(hot.tally, walk);
	record_gap(&gap, walk);
}

void hot_record_running(const uint64_t *slot, uint64_t id)
{
	struct walk walk = walk_from(slot, id);
	struct gap gap;

	if (runtime_is_filtered() || !*rt.is_this_process ||
	    (!hot.tally && (hot.attempts_left || hot_make_room())))
		return;
	walk.scan_left = SCAN_MAX;
	gap = find_gap(hot.tally, walk);
	record_gap(&gap, walk);
}

/*
 * A coroutine's stack does not show all callers: the function that resumed the
 * coroutine is on another stack, and walks may not recognize the return address
 * of the coroutine's first function.
 */
int callers_can_wait(const struct tally *old)
{
	const uint32_t depth = tally_note(old, hot.id).depth;

	return walk_is_on_own_stack((uintptr_t)__builtin_frame_address(0)) &&
	       !rt.is_late && !hot_recursion_folds && !rt.slotless_function &&
	       !old->has_folds &&
	       (hot.id == ID_ROOT || (depth && depth <= WAITING_MAX));
}

void callers_take_up(void)
{
	if (rt.is_heir && !hot.tally)
		hot_record_running(__builtin_frame_address(0), hot.id);
}

/*
 * Copies the records of a context and of its callers from the parent's tally,
 * up to the first one that has no record there.
 */
static void copy_records(const struct tally *old, uint64_t id)
{
	while (id != ID_ROOT) {
		const union note note = tally_note(old, id);

		if (!note.word || !record_caller(id, note))
			return;
		id = id_pop(id, id_key(note.function));
	}
}

/*
 * Where recursion is folded, copies the records of the active functions that a walk
 * finds. The callers that an id implies are those of the outermost call of each
 * recursive function. The inner calls have other callers, which only the stack
 * shows.
 */
static void copy_folded(const struct tally *old, struct walk walk)
{
	struct link link;

	recursion_use_tally(old);
	walk.scan_left = SCAN_MAX;
	while (walk.id != ID_ROOT && walk_next(&walk, &link))
		if (!tally_note(hot.tally, walk.id).word)
			copy_records(old, walk.id);
	recursion_use_tally(NULL);
}

/*
 * Functions that were entered during the fork, such as atfork handlers, have no
 * record in the parent's tally. They form a gap, and their callers have
 * records.
 */
void callers_inherit(const struct tally *old)
{
	const struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	struct gap gap;

	if (hot.id == ID_ROOT || (!hot.tally && hot_make_room()))
		return;
	gap = find_gap(old, walk);
	record_gap(&gap, walk);
	copy_records(old, gap.id);
	if (hot_recursion_folds)
		copy_folded(old, walk);
}
