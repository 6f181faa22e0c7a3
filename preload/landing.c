/* SPDX-License-Identifier: MIT */
#include "preload/landing.h"

#include <signal.h>

#include "preload/hot/runtime.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/next.h"
#include "preload/sys.h"
#include "preload/walk.h"
#include "wire/id.h"

struct stack_range {
	uint64_t start;
	uint64_t end;
};

/* The alternate signal stack, if the thread is on it. */
static struct stack_range signal_stack(void)
{
	stack_t ss;

	if (sys_call(SYS_sigaltstack, 0, (long)&ss, 0, 0, 0, 0) ||
	    !(ss.ss_flags & SS_ONSTACK))
		return (struct stack_range){ 0 };
	return (struct stack_range){ (uintptr_t)ss.ss_sp,
				     (uintptr_t)ss.ss_sp + ss.ss_size };
}

static int is_inside(const struct stack_range *range, uint64_t stack)
{
	return stack >= range->start && stack < range->end;
}

/*
 * Whether a link is further in than the landing. A handler on the alternate
 * stack is further in than all that it interrupted, wherever that stack lies.
 */
static int is_inward(const struct stack_range *signals, uint64_t at,
		     uint64_t landing)
{
	if (is_inside(signals, at) != is_inside(signals, landing))
		return is_inside(signals, at);
	return at < landing;
}

uint64_t landing_id(uint64_t stack)
{
	const uint64_t here = (uintptr_t)__builtin_frame_address(0);
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	const struct stack_range signals = signal_stack();
	uint64_t id = hot.id;
	struct link link;

	if (stack < here && !is_inside(&signals, here))
		return walk_find_running(stack, &id) ? id : hot.id;
	while (walk_next(&walk, &link)) {
		if (!is_inward(&signals, link.at, stack))
			return id;
		id = walk.id;
	}
	if (walk.id != ID_ROOT && walk_find_running(stack, &id))
		return id;
	return walk.id == ID_ROOT ? ID_ROOT : hot.id;
}

/* The outermost link whose return address lies in the unwinder, or 0. */
static uint64_t find_unwinder(uint64_t stack, const struct stack_range *signals)
{
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	struct link link;

	while (walk_next(&walk, &link) && is_inward(signals, link.at, stack))
		if (link.shadow->return_address >= next.unwinder_start &&
		    link.shadow->return_address < next.unwinder_end)
			return link.at;
	return 0;
}

/* A handler that interrupted a slow path of ours jumps out of that, too. */
static void leave_slow_paths(uint64_t stack)
{
	const struct stack_range signals = signal_stack();
	struct tally *tally = hot.tally;

	while (tally->busy && tally->busy <= TALLY_PATHS_MAX &&
	       is_inward(&signals, tally->paths[tally->busy - 1], stack))
		tally->busy--;
}

/*
 * longjmp may be a coroutine's way to yield: what it leaves behind may go on
 * one day, so nothing is done to that.
 */
void landing_at(uint64_t stack)
{
	if (hot.tally && hot.tally->busy)
		leave_slow_paths(stack);
	hot.id = landing_id(stack);
}

/*
 * What an exception leaves behind is dead, and its slots shall not look like
 * those of running functions. But those that the unwinder has called do return
 * to it first.
 */
void landing_prepare(uint64_t stack)
{
	const struct stack_range signals = signal_stack();
	uint64_t returning = find_unwinder(stack, &signals);
	uint64_t id = landing_id(stack);
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	struct link link;

	while (walk_next(&walk, &link) && is_inward(&signals, link.at, stack)) {
		if (link.at <= returning)
			link.shadow->caller_id = id;
		else
			link.shadow->return_address = 0;
	}
	hot.id = id;
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
}
