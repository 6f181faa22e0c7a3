/* SPDX-License-Identifier: MIT */
/*
 * Is the id right? The confidence statistics.
 *
 * Now and then a call is checked against the thread's whole stack, as its
 * shadow tells it (walk.h). The chain must end at the thread's root, and every
 * context on it must have been recorded for the function that is really
 * there. Otherwise two contexts share an id (a collision), or id and stack
 * have gone different ways (a divergence). What called a coroutine is on another
 * stack, nobody knows where: there only what is on its own can be checked.
 *
 * Every call that is counted in a context is as likely to be checked as any
 * other, whatever way it is counted; so is every first call of a context, at
 * a rate of its own. What the checks find in that share of those that they can
 * decide is then true of all, within bounds (report/model/confidence.h).
 */
#include "preload/stack/verify.h"

#include <stdatomic.h>

#include "machine/address_space.h"
#include "preload/record/numbers.h"

#include "preload/hot/runtime.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/stack/starts.h"
#include "preload/stack/walk.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

/*
 * Functions that are looked for: what lies deeper is said to be too long. New
 * contexts are drawn more often, and a deep recursion makes one at each call.
 */
#define FRAMES_MAX       10000
#define FRAMES_OF_FIRSTS 512

#define GAP_IN_PIECES    8192 /* 64 KiB */

/* Below the control block: on a stack of libc's, where the root comes last. */
#define OWN_STACK_BYTES (UINT64_C(1) << 18)

enum outcome {
	VERIFIED,
	COLLISION,
	DIVERGED,
	UNTOLD,
	PARTIAL, /* and more of them: plus enum wire_partial */
};

/*
 * The child that posix_spawn() makes borrows our thread until it execs, and
 * goes on with our id on a stack of its own.
 */
static int is_borrowed(void)
{
	return (uint32_t)sys_gettid() != hot.tally->tid;
}

/*
 * Whether a slot is that of a coroutine's first function, or looks like it: no
 * function waits for a return further out on its stack. Other coroutines' may
 * lie side by side with it, so only what is near counts.
 */
static int is_outermost(uint64_t at)
{
	const uint64_t end = runtime_own_stack_end();
	uint64_t page = at & ~(PAGE_BYTES - 1);

	if (end > at && end - at < OWN_STACK_BYTES)
		return 0;
	for (int left = WALK_NEAR_SLOTS; left > 0; left--) {
		const struct shadow_slot *shadow = shadow_of(at += 8);

		if (shadow && shadow->return_address && walk_is_live(at, &page))
			return 0;
	}
	return 1;
}

/*
 * Whether what is further out may be others' stack: a function that waits at a
 * trampoline may be the outermost one of a slice that was copied to where it
 * is, below other callers than it began with.
 */
static int is_start(uint64_t at, uint64_t id)
{
	uint64_t page = at & ~(PAGE_BYTES - 1);

	return walk_trampoline(at, &page) || walk_first_function(at, id) ||
	       is_outermost(at);
}

/* The chain has ended before the thread's root, below the call at a slot. */
static enum outcome broken(const struct walk *walk, uint64_t at)
{
	if (walk_is_exhausted(walk))
		return PARTIAL + WIRE_PARTIAL_LENGTH;
	if (is_borrowed())
		return PARTIAL + WIRE_PARTIAL_BORROWED;
	return walk_is_border(walk->id) || is_start(at, walk->id)
		       ? PARTIAL + WIRE_PARTIAL_START
		       : DIVERGED;
}

/*
 * Stacks whose shadow is in pieces are coroutines', nearly always, small and in
 * the midst of other memory, which takes long to look through: that is done
 * only where some function does wait further out.
 */
static int find_next(struct walk *walk, uint64_t at, struct link *link)
{
	const struct walk begun = *walk;

	walk->gap_max = at < hot_shadow_low ? GAP_IN_PIECES : 0;
	if (walk_next(walk, link))
		return 1;
	if (!walk->gap_max || walk_is_exhausted(walk) || is_outermost(at))
		return 0;
	*walk = begun;
	walk->gap_max = 0;
	return walk_next(walk, link);
}

static enum outcome verify(struct walk *walk, uint32_t frames_max)
{
	uint64_t at = walk->at;
	int is_handler = 0; /* the function before, of a signal */

	if (runtime_is_filtered())
		return PARTIAL + WIRE_PARTIAL_FILTER;
	if (hot.tally->busy)
		return PARTIAL + WIRE_PARTIAL_SIGNAL;

	if (tally_note(hot.tally, walk->id).depth > frames_max)
		return PARTIAL + WIRE_PARTIAL_LENGTH;
	for (uint32_t frames = 0; frames <= frames_max; frames++) {
		union note note = tally_note(hot.tally, walk->id);
		struct link link;

		if (walk->id == ID_ROOT)
			return VERIFIED;
		if (note.function == WIRE_FOLDED)
			return UNTOLD;
		if (!note.word)
			return PARTIAL + WIRE_PARTIAL_RECORD;
		/* These are compared with what the machine says. */
		if (walk_is_java(walk->id))
			return PARTIAL + WIRE_PARTIAL_START;
		if (!find_next(walk, at, &link) &&
		    (!walk->has_begun ||
		     !walk_next_interrupted(walk, at, &link, NULL)))
			return is_handler ? PARTIAL + WIRE_PARTIAL_SIGNAL
					  : broken(walk, at);
		is_handler = walk->is_handler;
		at = link.at;
		/* The innermost may still have its return address there. */
		if (!frames && at != WALK_IN_JAVA)
			walk_trust_own_stack(walk, (const void *)at);
		if (note.function != link.function)
			return COLLISION;
		if (link.has_jumped)
			atomic_fetch_add_explicit(&rt.header->jumped_functions,
						  1, memory_order_relaxed);
		/* Those that have jumped at the same slot come first. */
		if (!walk->chain &&
		    starts_is_first(link.shadow->return_address))
			return starts_are_by(at, walk->id)
				       ? VERIFIED
				       : PARTIAL + WIRE_PARTIAL_START;
	}
	return PARTIAL + WIRE_PARTIAL_LENGTH;
}

/* Links of folded recursion are not certain: a walk may have left the chain. */
static enum outcome look_again(const void *slot, uint64_t id)
{
	uint64_t end;

	if (!rt.folds_recursion || !walk_has_any_way(slot, id, &end))
		return DIVERGED;
	return end == ID_ROOT ? VERIFIED : PARTIAL + WIRE_PARTIAL_START;
}

int verify_is_right(const void *from, uint64_t id)
{
	struct walk walk = walk_from(from, id);

	return hot.tally && verify(&walk, FRAMES_OF_FIRSTS) == VERIFIED;
}

/* What folded is in no context of its own, and reports say how much that is. */
int hot_verify_stack(const uint64_t *slot, struct wire_verdicts *verdicts)
{
	struct walk walk = walk_from(slot, hot.id);
	enum outcome outcome = verify(
		&walk, verdicts == &hot.tally->wire->firsts ? FRAMES_OF_FIRSTS
							    : FRAMES_MAX);

	if (outcome == DIVERGED)
		outcome = look_again(slot, hot.id);
	if (outcome >= PARTIAL)
		verdicts->partial[outcome - PARTIAL]++;
	else if (outcome == VERIFIED)
		verdicts->verified++;
	else if (outcome == COLLISION)
		verdicts->collisions++;
	else if (outcome == DIVERGED)
		verdicts->diverged++;
	if (outcome == VERIFIED)
		return 1;
	return outcome == COLLISION || outcome == DIVERGED ? 0 : -1;
}
