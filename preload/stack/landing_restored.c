/* SPDX-License-Identifier: MIT */
/*
 * Landings in a slice of stack that was copied back.
 *
 * The slice has overwritten a part of the stack, and with it the chain from the
 * running functions to the landing. Therefore a thread that lands in the slice
 * by a jump gets the id of the function that walk_find_running() finds there.
 * Some programs do not jump to the slice: they move the stack pointer below it,
 * copy it back, and return to it.
 */
#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/thread.h"
#include "preload/hot/timing.h"
#include "preload/hot/trampoline.h"
#include "preload/stack/landing.h"
#include "preload/stack/trampolines.h"
#include "preload/stack/walk.h"

/*
 * maximum number of stack bytes between a copying function and the slice that
 * it will return to
 */
#define RETURN_MAX 16384

static int is_restored(uint64_t stack)
{
	return stack >= hot.slices.restored_from &&
	       stack < hot.slices.restored_until;
}

static int is_perhaps(uint64_t stack)
{
	return stack >= hot.slices.perhaps_from &&
	       stack < hot.slices.perhaps_until;
}

uint64_t landing_slice_end(uint64_t stack)
{
	if (is_restored(stack))
		return hot.slices.restored_until;
	return is_perhaps(stack) ? hot.slices.perhaps_until : 0;
}

void landing_forget_slice(uint64_t stack)
{
	if (is_restored(stack))
		hot.slices.restored_from = hot.slices.restored_until = 0;
	else if (is_perhaps(stack))
		hot.slices.perhaps_from = hot.slices.perhaps_until = 0;
}

/*
 * Returns whether a slot lies below the end of the stack on which the thread
 * began.
 */
static int is_on_own_stack(uint64_t slot)
{
	const uint64_t end = runtime_own_stack_end();

	return slot < (end ? end : rt.first_stack_end);
}

/*
 * Notes that the running functions will return to the slice's innermost
 * function, which has this id: their former callers have been overwritten. The
 * thread's id becomes this id at once, because contexts of the running
 * functions below that function were never recorded.
 */
static void return_to_slice(uint64_t from, uint64_t id)
{
	const uint64_t here = (uintptr_t)__builtin_frame_address(0);
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	struct link link;

	walk.scan_left = (uint32_t)((from - here) / 8);
	while (walk_next(&walk, &link) && link.at < from)
		if (!trampoline_has(link.shadow))
			link.shadow->caller_id = id;
	hot.id = id;
	sink_moved(0);
}

void landing_perhaps_restored(uint64_t at, uint64_t bytes)
{
	/* The program may be copying a slice in pieces. */
	if (at == hot.slices.perhaps_until) {
		hot.slices.perhaps_until += bytes;
	} else {
		hot.slices.perhaps_from = at;
		hot.slices.perhaps_until = at + bytes;
	}
}

void landing_restored(uint64_t from, uint64_t until)
{
	const uint64_t here = (uintptr_t)__builtin_frame_address(0);
	const struct trampoline *one = trampoline_at(*(const uint64_t *)from);

	hot.slices.restored_from =
		from < WALK_FRAME_BYTES ? 0 : from - WALK_FRAME_BYTES;
	hot.slices.restored_until = until;
	if (one && from > here && from - here < RETURN_MAX &&
	    is_on_own_stack(from)) {
		trampolines_settle(from, until);
		return_to_slice(from, one->id);
	}
}
