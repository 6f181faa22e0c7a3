/* SPDX-License-Identifier: MIT */
/*
 * Landings of exceptions. When the unwinder decides where to land, functions
 * that it has called are still running and will return to it first.
 */
#include "machine/address_space.h"
#include "preload/host/next.h"
#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/trampoline.h"
#include "preload/hot/upcalls.h"
#include "preload/stack/heal.h"
#include "preload/stack/landing.h"
#include "preload/stack/landing_stacks.h"
#include "preload/stack/loans.h"
#include "preload/stack/unwind_context.h"
#include "preload/stack/walk.h"
#include "wire/id.h"

#define WAY_MAX 64

/* The functions between here and a landing, up to WAY_MAX. */
struct way {
	struct shadow_slot *slots[WAY_MAX];
	uint64_t at[WAY_MAX]; /* addresses of their stack slots */
	uint32_t count;
	/* The first `returning` functions return to the unwinder. */
	uint32_t returning;
	uint64_t id;  /* id of the function in which the unwinder lands */
	int is_whole; /* the whole chain up to the landing is in these arrays */
};

/*
 * If the unwinder has called the link's function, moves the link to the
 * outermost slot that may be the function's. The unwinder calls functions at
 * several depths, so stale slots of earlier calls may lie inside of frames that
 * exist now.
 */
static void take_outermost(struct walk *walk, struct link *link,
			   const struct pc_range *unwinder)
{
	const uint64_t pc = link->shadow->return_address;

	if (next_is_inside(unwinder, pc) || heal_is_watched(pc))
		walk_take_outermost(walk, link);
}

/*
 * Follows the chain of callers to a landing at a higher address. All slots
 * below that address are further in than the landing. The whole stack up to the
 * landing belongs to this thread and is mapped.
 */
static void find_way(struct way *way, uint64_t stack,
		     const struct pc_range *unwinder)
{
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	struct link link;

	way->count = way->returning = 0;
	way->id = hot.id;
	way->is_whole = 0;
	walk.readable_until = (stack | (PAGE_BYTES - 1)) + 1;
	while (way->count < WAY_MAX && walk_next(&walk, &link)) {
		if (link.at < stack && !way->returning)
			take_outermost(&walk, &link, unwinder);
		if (link.at >= stack) {
			way->is_whole = 1;
			return;
		}
		way->at[way->count] = link.at;
		way->slots[way->count++] = link.shadow;
		if (!way->returning &&
		    next_is_inside(unwinder, link.shadow->return_address))
			way->returning = way->count;
		way->id = walk.id;
	}
	way->is_whole = walk.id == ID_ROOT;
}

/*
 * Returns whether the chain leads to a function other than the one that
 * contains the landing.
 */
static int leads_past(const struct way *way, uint32_t function)
{
	return function && tally_note(hot.tally, way->id).function != function;
}

/*
 * Changes the slots of the functions between here and the landing: functions
 * that return to the unwinder will restore the id of the landing, and the
 * others have ended. If no function is known to return to the unwinder, all of
 * them are treated as if they did. The duration of this function does not
 * belong to the function that continues.
 */
static void end(const struct way *way)
{
	const struct sink_pause pause =
		sink_unwind(way->at, way->count, way->returning);

	for (uint32_t i = 0; i < way->count; i++)
		if (trampoline_has(way->slots[i]))
			continue;
		else if (i < way->returning || !way->returning)
			way->slots[i]->caller_id = way->id;
		else
			way->slots[i]->return_address = 0;
	hot.id = way->id;
	if (way->returning)
		sink_moved(way->at[way->returning - 1] + sizeof(uint64_t));
	else
		sink_moved(way->count ? way->at[way->count - 1] : 0);
	sink_resume(&pause);
}

/*
 * Does the same as find_way() and end() for a chain that is longer than
 * WAY_MAX, or for a landing on another stack.
 */
static void prepare_far(uint64_t stack, uint32_t function,
			const struct pc_range *unwinder)
{
	const struct stack_range signals = landing_signal_stack();
	const uint64_t id = landing_id_of(stack, function);
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	const struct sink_pause now = sink_pause();
	uint64_t outermost = 0;
	struct link link;
	int is_returning = 1;

	while (walk_next(&walk, &link) &&
	       landing_is_inward(&signals, link.at, stack)) {
		uint64_t pc;

		if (is_returning)
			take_outermost(&walk, &link, unwinder);
		pc = link.shadow->return_address;
		outermost = link.at;
		if (!is_returning)
			sink_end(link.at, &now);
		if (!trampoline_has(link.shadow) && is_returning)
			link.shadow->caller_id = id;
		else if (!trampoline_has(link.shadow))
			link.shadow->return_address = 0;
		is_returning &= !next_is_inside(unwinder, pc);
	}
	hot.id = id;
	sink_moved(outermost);
}

/*
 * Returns whether the landing is further out on the present stack, all of which
 * is mapped up to there. A handler on an alternate signal stack may land on the
 * stack that it has interrupted.
 */
static int is_on_present_stack(uint64_t stack)
{
	const uint64_t here = (uintptr_t)__builtin_frame_address(0);
	struct stack_range signals;

	if (stack < here)
		return 0;
	if (walk_is_on_own_stack(stack))
		return 1;
	signals = landing_signal_stack();
	return landing_is_inside(&signals, here) ==
	       landing_is_inside(&signals, stack);
}

/*
 * The functions that an exception leaves have ended, and their slots must not
 * look like those of running functions. But functions that the unwinder has
 * called return to it first.
 */
void landing_prepare(uint64_t stack, uint64_t pc,
		     const struct pc_range *unwinder)
{
	const uint32_t function = landing_function(pc);
	struct way way;

	if (!is_on_present_stack(stack)) {
		prepare_far(stack, function, unwinder);
		return;
	}
	find_way(&way, stack, unwinder);
	if (!way.is_whole || leads_past(&way, function)) {
		prepare_far(stack, function, unwinder);
		return;
	}
	end(&way);
}

/*
 * The code of an unwinder that is linked into the program cannot be
 * distinguished from the program's own code. Therefore the functions that
 * return to the unwinder are unknown: all slots up to the landing are
 * corrected, and none is marked as ended.
 */
void landing_on_set_ip(const struct _Unwind_Context *context)
{
	static const struct pc_range nowhere;
	const uint64_t cfa = unwind_even_cfa(context->cfa);

	if (runtime_has_callers() && !runtime_is_filtered()) {
		landing_prepare(cfa, context->others[UNWIND_FUNCTION],
				&nowhere);
		if (hot.loans.borrower)
			loans_settle(unwind_context_exception(context), cfa);
	}
	heal_cancel();
}
