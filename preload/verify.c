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
 */
#include "preload/hot/count.h"
#include "preload/hot/runtime.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/sys.h"
#include "preload/walk.h"
#include "wire/id.h"

#define FRAMES_MAX 100000
#define NEAR_SLOTS 512 /* 4 KiB: more than most functions' frames have */

/* Below the control block: on a stack of libc's, where the root comes last. */
#define OWN_STACK_BYTES (UINT64_C(1) << 18)

enum outcome { VERIFIED, PARTIAL, COLLISION, DIVERGED };

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
	uint64_t page = at & ~UINT64_C(4095);

	if (end > at && end - at < OWN_STACK_BYTES)
		return 0;
	for (int left = NEAR_SLOTS; left > 0; left--) {
		const struct shadow_slot *shadow = shadow_of(at += 8);

		if (shadow && shadow->return_address && walk_is_live(at, &page))
			return 0;
	}
	return 1;
}

/* The chain has ended before the thread's root, below the call at a slot. */
static enum outcome broken(const struct walk *walk, uint64_t at)
{
	if (walk_is_exhausted(walk) || is_borrowed() || is_outermost(at))
		return PARTIAL;
	return DIVERGED;
}

static enum outcome verify(struct walk *walk)
{
	uint64_t at = walk->at;

	for (int frames = 0; frames < FRAMES_MAX; frames++) {
		union note note = tally_note(hot.tally, walk->id);
		struct link link;

		if (walk->id == ID_ROOT)
			return VERIFIED;
		if (!note.word || note.function == WIRE_FOLDED)
			return PARTIAL;
		if (!walk_next(walk, &link))
			return broken(walk, at);
		at = link.at;
		if (note.function != link.function)
			return COLLISION;
	}
	return PARTIAL;
}

void hot_verify_stack(const uint64_t *slot)
{
	struct walk walk = walk_from(slot, hot.id);
	struct wire_tally *wire = hot.tally->wire;

	switch (verify(&walk)) {
	case VERIFIED:
		wire->verified++;
		break;
	case PARTIAL:
		wire->partial++;
		break;
	case COLLISION:
		wire->collisions++;
		break;
	case DIVERGED:
		wire->diverged++;
		break;
	}
}
