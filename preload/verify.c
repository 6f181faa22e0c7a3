/* SPDX-License-Identifier: MIT */
/*
 * Is the id right? The confidence statistics.
 *
 * Now and then a call is checked against the thread's whole stack, as its
 * shadow tells it (walk.h). The chain must end at the thread's root, and every
 * context on it must have been recorded for the function that is really
 * there. Otherwise two contexts share an id (a collision), or id and stack
 * have gone different ways (a divergence).
 */
#include "preload/hot/count.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/sys.h"
#include "preload/walk.h"
#include "wire/id.h"

#define FRAMES_MAX 100000

enum outcome { VERIFIED, PARTIAL, COLLISION, DIVERGED };

/*
 * The child that posix_spawn() makes borrows our thread until it execs, and
 * goes on with our id on a stack of its own.
 */
static int is_borrowed(void)
{
	return (uint32_t)sys_gettid() != hot.tally->tid;
}

static enum outcome verify(struct walk *walk)
{
	for (int frames = 0; frames < FRAMES_MAX; frames++) {
		union note note = tally_note(hot.tally, walk->id);
		struct link link;

		if (walk->id == ID_ROOT)
			return VERIFIED;
		if (!note.word || note.function == WIRE_FOLDED)
			return PARTIAL;
		if (!walk_next(walk, &link))
			return walk_is_exhausted(walk) || is_borrowed()
				       ? PARTIAL
				       : DIVERGED;
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
