/* SPDX-License-Identifier: MIT */
/* See landing.h. */
#include "preload/stack/landing.h"

#include "machine/address_space.h"
#include "preload/hot/recursion.h"
#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/switch.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/stack/heal.h"
#include "preload/stack/landing_stacks.h"
#include "preload/stack/trampolines.h"
#include "preload/stack/walk.h"
#include "wire/id.h"

/*
 * Maximum number of callers that is_below() compares. Most jumps leave fewer
 * functions.
 */
#define CALLERS_MAX 512

uint64_t landing_id(uint64_t stack)
{
	const uint64_t here = (uintptr_t)__builtin_frame_address(0);
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	const struct stack_range signals = landing_signal_stack();
	uint64_t id = hot.id;
	struct link link;

	if (landing_slice_end(stack) && walk_find_running(stack, &id))
		return id;
	if (stack < here && !landing_is_inside(&signals, here))
		return walk_find_running(stack, &id) ? id : hot.id;
	while (walk_next(&walk, &link)) {
		if (!landing_is_inward(&signals, link.at, stack))
			return id;
		id = walk.id;
	}
	if (walk.id != ID_ROOT && walk_find_running(stack, &id))
		return id;
	return walk.id == ID_ROOT ? ID_ROOT : hot.id;
}

/*
 * Called if a signal handler jumps out of slow paths that it has interrupted:
 * marks those slow paths as ended, unless more than TALLY_PATHS_MAX are active.
 */
static void leave_slow_paths(uint64_t stack)
{
	const struct stack_range signals = landing_signal_stack();
	struct tally *tally = hot.tally;

	while (tally->busy && tally->busy <= TALLY_PATHS_MAX &&
	       landing_is_inward(&signals, tally->paths[tally->busy - 1],
				 stack)) {
		tally->busy--;
		tally->was_reentered = 1;
	}
}

/*
 * Returns whether a slot near this stack pointer holds the trampoline of the
 * function with this id, which has called setjmp() or similar. The slot does
 * not hold it if other bytes were copied there since.
 */
static int is_remembered(uint64_t stack, uint64_t id)
{
	uint64_t at = stack & ~UINT64_C(7), page = (stack - 8) & -PAGE_BYTES;
	uint64_t word;

	if (id == ID_ROOT)
		return 0;
	for (; at < stack + WALK_FRAME_BYTES && walk_read(at, &page, &word);
	     at += 8) {
		const struct trampoline *one = trampoline_at(word);

		if (one && one->id == id)
			return 1;
	}
	return 0;
}

/*
 * Returns whether a function with this id is the running function or one of its
 * callers. Returns true if the tally has no record of this id. Returns false if
 * it has none of a function between the two, or if CALLERS_MAX callers or more
 * lie between.
 */
static int is_below(uint64_t id)
{
	uint64_t from = hot.id;

	if (!hot.tally || !tally_note(hot.tally, id).word)
		return 1;
	for (int i = 0; from != id; i++) {
		const union note note = tally_note(hot.tally, from);

		if (!note.word || note.depth == 1 || i == CALLERS_MAX)
			return 0;
		from = id_pop(from, id_key(note.function));
	}
	return 1;
}

/*
 * Returns the id of the running function that has this stack slot, or ID_ROOT
 * if there is none. If the slot holds a trampoline, the trampoline's record has
 * the id. Otherwise the slot is taken to be that of `function`.
 */
static uint64_t runs_as(uint64_t at, uint32_t function, uint64_t *page)
{
	const struct shadow_slot *shadow = shadow_of(at);
	const struct trampoline *one = walk_trampoline(at, page);

	if (one)
		return one->id;
	if (!shadow || !shadow->return_address || !walk_is_live(at, page))
		return ID_ROOT;
	return walk_running_as(shadow->caller_id, id_key(function));
}

/*
 * Searches the slots near a stack pointer for a slot of `function`. Returns the
 * id of the running call there, or ID_ROOT. If `wanted` is not ID_ROOT, only a
 * slot with that id counts.
 */
static uint64_t find_near(uint64_t stack, uint32_t function, uint64_t wanted)
{
	uint64_t at = stack & ~UINT64_C(7), page = (stack - 8) & -PAGE_BYTES;
	uint64_t word;

	for (; at < stack + WALK_FRAME_BYTES && walk_read(at, &page, &word);
	     at += 8) {
		const uint64_t found = runs_as(at, function, &page);

		if (found == ID_ROOT || (wanted != ID_ROOT && found != wanted))
			continue;
		if (tally_note(hot.tally, found).function == function)
			return found;
	}
	return ID_ROOT;
}

/*
 * Where recursion is folded, returns whether the function with this id has a slot
 * near the stack pointer. The slot may hold the address of a stub, because
 * trampolines_carry() stops early if a trampoline of another call looks like
 * the function's own.
 */
static int is_near(uint64_t stack, uint64_t id)
{
	return hot_recursion_folds && id != ID_ROOT && hot.tally &&
	       find_near(stack, tally_note(hot.tally, id).function, id) == id;
}

/*
 * If the context that landing_id() finds does not belong to `function`,
 * searches the slots near the landing for a context that does.
 */
uint64_t landing_id_of(uint64_t stack, uint32_t function)
{
	const uint64_t id = landing_id(stack);
	uint64_t near;

	if (!function || tally_note(hot.tally, id).function == function)
		return id;
	near = find_near(stack, function, ID_ROOT);
	return near != ID_ROOT ? near : id;
}

uint32_t landing_function(uint64_t pc)
{
	return hot_recursion_folds && hot.tally ? hot_function_at(pc) : 0;
}

/*
 * Sets the thread's id for a landing, and restores the shadow from trampolines.
 * If the function with this id has its slot there and is neither the running
 * function nor one of its callers, a slice of the stack was probably copied
 * back and clew has not seen the copy.
 */
static void land(uint64_t stack, uint64_t id, uint32_t function)
{
	uint64_t slice_end;

	if (hot.tally && hot.tally->busy)
		leave_slow_paths(stack);
	slice_end = landing_slice_end(stack);
	if (is_remembered(stack, id) || is_near(stack, id)) {
		if (!slice_end && !is_below(id))
			/* The slice may end further out. */
			slice_end = stack + 1;
		hot.id = id;
	} else {
		hot.id = landing_id_of(stack, function);
	}
	trampolines_settle(stack, slice_end);
	landing_forget_slice(stack);
}

/*
 * Called if a signal handler jumps out of a probe's handler that it has
 * interrupted: marks the probe's handler as ended.
 */
static void leave_handler(uint64_t stack)
{
	const struct stack_range signals = landing_signal_stack();

	if (!landing_is_inward(&signals, hot.handler.frame, stack))
		return;
	hot.handler.frame = 0;
	if (hot.muted == HOT_MUTED_HANDLER)
		switch_unmute(hot.handler.muted);
}

/*
 * Called if a signal handler jumps out of clew's front of backtrace(), whose
 * list of return addresses then no longer exists.
 */
static void leave_list(uint64_t stack)
{
	const struct stack_range signals = landing_signal_stack();

	if (landing_is_inward(&signals, hot.aside->listed_from, stack))
		heal_pass_over((struct pc_range){ 0 });
}

/*
 * A coroutine may yield by longjmp(), so the functions that a jump leaves may
 * continue later. Therefore their slots and shadow stay as they are, and only
 * the sink acts on these calls.
 */
static void land_in(uint64_t stack, uint64_t id, uint32_t function)
{
	struct sink_pause pause;

	/* A signal handler has jumped out of the function that it interrupted. */
	hot.is_in_agent = 0;
	if (hot.handler.frame)
		leave_handler(stack);
	if (hot.aside && hot.aside->listed_until)
		leave_list(stack);
	if (runtime_is_detaching() && hot.id == id)
		return; /* the jump ends no call, and detaching must be fast */
	pause = sink_jump(__builtin_frame_address(0), stack);
	land(stack, id, function);
	sink_moved(0);
	sink_resume(&pause);
}

void landing_at(uint64_t stack, uint64_t id)
{
	land_in(stack, id, 0);
}

/*
 * If libc's longjmp() jumps, clew's wrapper of it has stored the destination in
 * hot.jump. Other code that jumps is not wrapped.
 */
void landing_on_leap(uint64_t stack, uint64_t sp)
{
	const uint64_t pc = *(const uint64_t *)(sp - PROBE_LEAP_PC);
	const int is_libcs = hot.jump.stack == stack;
	const uint64_t id = is_libcs ? hot.jump.id : ID_ROOT;

	hot.jump.stack = 0;
	if ((hot.id != ID_ROOT || is_libcs) && !runtime_is_filtered())
		land_in(stack, id, is_libcs ? 0 : landing_function(pc));
}

__attribute__((noinline)) uint64_t landing_current_id(void)
{
	__asm__ volatile("" ::: "memory");
	return hot.id;
}

__attribute__((noinline)) void landing_set_id(uint64_t id)
{
	__asm__ volatile("" ::: "memory");
	hot.id = id;
	sink_moved(0);
}
