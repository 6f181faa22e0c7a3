/* SPDX-License-Identifier: MIT */
/*
 * Verifies ids, for the statistics of confidence.
 *
 * A random call is compared with the thread's whole stack, as the shadow
 * describes it (walk.h). The chain should end at the thread's root, and each
 * context should be recorded for the function that is really there. If a
 * context is recorded for another function, two contexts share an id (a
 * collision). If the chain breaks without a known cause, id and stack disagree
 * (a divergence). If the cause is known, the stack was verified in part: the
 * caller of a coroutine, for example, is on an unknown other stack.
 *
 * Each call that counts in a context has the same probability to be verified,
 * however it is counted. Each first call of a context has another probability,
 * the same for all contexts. Therefore the share of errors among the verified
 * calls that can be decided estimates the share among all, within bounds
 * (report/model/confidence.h).
 */
#include "preload/stack/verify.h"

#include <stdatomic.h>

#include "machine/address_space.h"
#include "preload/record/numbers.h"

#include "preload/hot/recursion.h"
#include "preload/hot/runtime.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/stack/starts.h"
#include "preload/stack/walk.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

/*
 * Calls with more callers than this are not verified. The limit for first calls
 * is lower, because they are verified more often, and a deep recursion creates
 * a context at each call.
 */
#define FRAMES_MAX       10000
#define FRAMES_OF_FIRSTS 512
/*
 * Where recursion is folded, the depth of a context does not tell how deep the
 * stack is, and each link takes several times as long.
 */
#define FRAMES_OF_FOLDED 1000

#define GAP_AMONG_OTHERS 8192 /* stack slots: 64 KiB */

/*
 * A slot less than this far below the thread control block is on the stack that
 * libc has created for the thread, which ends with the thread's first function.
 */
#define OWN_STACK_BYTES (UINT64_C(1) << 18)

enum outcome {
	VERIFIED,
	COLLISION,
	DIVERGED,
	/*
	 * The context, or that of a caller, is that of a "(folded)", which
	 * cannot be verified.
	 */
	UNTOLD,
	/* PARTIAL plus a value of enum wire_partial. */
	PARTIAL,
};

/*
 * Returns whether the caller is not the tally's owner, but for example a child
 * of posix_spawn() before its exec. Such a child runs on a stack of its own,
 * but uses the thread-local variables of the parent's thread, including the id.
 */
static int is_borrowed(void)
{
	return (uint32_t)sys_gettid() != hot.tally->tid;
}

/*
 * Returns whether a slot seems to be that of a coroutine's first function: no
 * function returns further out on its stack. The stacks of coroutines may be
 * adjacent, so only near slots count.
 */
static int is_outermost(uint64_t at)
{
	const uint64_t end = runtime_own_stack_end();
	uint64_t page = 0; /* the slot may be stale, on a former stack */

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
 * Returns whether the function at this slot may be the outermost one of its
 * stack, so that memory further out may be another stack. One that returns to a
 * trampoline may be the outermost function of a copied slice.
 */
static int is_start(uint64_t at, uint64_t id)
{
	uint64_t page = 0; /* the slot may be stale, on a former stack */

	return walk_is_border(id) || walk_trampoline(at, &page) ||
	       walk_first_function(at, id) || is_outermost(at);
}

/*
 * Returns the outcome of a verification if the chain ended before the root, at
 * the call whose slot is `at`.
 */
static enum outcome broken(const struct walk *walk, uint64_t at)
{
	if (walk_is_exhausted(walk))
		return PARTIAL + WIRE_PARTIAL_LENGTH;
	if (is_borrowed())
		return PARTIAL + WIRE_PARTIAL_BORROWED;
	return is_start(at, walk->id) ? PARTIAL + WIRE_PARTIAL_START : DIVERGED;
}

/*
 * Finds the next link. On a stack outside of the reserved shadow, usually a
 * small one of a coroutine, the search first ends early. It is repeated without
 * this limit only if some function returns further out. The same holds for all
 * stacks but the thread's own if recursion is folded, because each candidate is
 * then tested by a search of its own.
 */
static int find_next(struct walk *walk, uint64_t at, struct link *link)
{
	const struct walk begun = *walk;

	const int is_among_others =
		at < hot_shadow_low ||
		(hot_recursion_folds && !walk_is_on_own_stack(at));

	walk->gap_max = is_among_others ? GAP_AMONG_OTHERS : 0;
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
	int is_handler = 0; /* the preceding link is a signal handler */

	if (runtime_is_filtered())
		return PARTIAL + WIRE_PARTIAL_FILTER;
	if (hot.tally->busy)
		return PARTIAL + WIRE_PARTIAL_SIGNAL;
	if (tally_note(hot.tally, walk->id).depth > frames_max)
		return PARTIAL + WIRE_PARTIAL_LENGTH;
	walk_trust_own_stack(walk, (const void *)at);
	for (uint32_t frames = 0; frames <= frames_max; frames++) {
		union note note = tally_note(hot.tally, walk->id);
		struct link link;

		if (walk->id == ID_ROOT)
			return VERIFIED;
		if (note.function == WIRE_FOLDED)
			return UNTOLD;
		if (!note.word)
			return PARTIAL + WIRE_PARTIAL_RECORD;
		/*
		 * Functions without a stack slot (of Java) are verified by the
		 * layer that knows the runtime.
		 */
		if (walk_is_slotless(walk->id))
			return PARTIAL + WIRE_PARTIAL_START;
		if (!find_next(walk, at, &link) &&
		    (!walk->has_begun ||
		     !walk_next_interrupted(walk, at, &link, NULL)))
			return is_handler ? PARTIAL + WIRE_PARTIAL_SIGNAL
					  : broken(walk, at);
		is_handler = walk->is_handler;
		at = link.at;
		if (note.function != link.function)
			return COLLISION;
		if (link.has_jumped)
			atomic_fetch_add_explicit(&rt.header->jumped_functions,
						  1, memory_order_relaxed);
		/* Functions that have jumped from the same slot come first. */
		if (!walk->chain &&
		    starts_is_first(link.shadow->return_address))
			return starts_are_by(at, walk->id)
				       ? VERIFIED
				       : PARTIAL + WIRE_PARTIAL_START;
	}
	return PARTIAL + WIRE_PARTIAL_LENGTH;
}

/*
 * Called if a walk has found no complete chain where recursion is folded. A
 * link may then have been the wrong one of several possible ones, so this
 * function follows all of them, up to WAYS_MAX chains.
 */
static enum outcome check_again(const void *slot, uint64_t id)
{
	uint64_t end;

	if (!hot_recursion_folds)
		return DIVERGED;
	switch (walk_has_any_way(slot, id, is_start, &end)) {
	case WALK_HAS_WAY:
		return end == ID_ROOT ? VERIFIED : PARTIAL + WIRE_PARTIAL_START;
	case WALK_HAS_TOO_MANY:
		return PARTIAL + WIRE_PARTIAL_LENGTH;
	case WALK_HAS_NO_WAY:
		break;
	}
	return DIVERGED;
}

int verify_is_right(const void *from, uint64_t id)
{
	struct walk walk = walk_from(from, id);

	return hot.tally && verify(&walk, FRAMES_OF_FIRSTS) == VERIFIED;
}

/*
 * Folded calls have no context of their own and cannot be verified; reports
 * show their number.
 */
int hot_verify_stack(const uint64_t *slot, struct wire_verdicts *verdicts)
{
	struct walk walk = walk_from(slot, hot.id);
	const int is_first = verdicts == &hot.tally->wire->firsts;
	enum outcome outcome =
		verify(&walk, is_first              ? FRAMES_OF_FIRSTS
			      : hot_recursion_folds ? FRAMES_OF_FOLDED
						    : FRAMES_MAX);

	if (outcome == DIVERGED)
		outcome = check_again(slot, hot.id);
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
