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

#define WAY_MAX 64

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

/* The functions between here and a landing, as many as fit. */
struct way {
	struct shadow_slot *slots[WAY_MAX];
	uint32_t count;
	uint32_t returning; /* the first so many return to the unwinder */
	uint64_t id;        /* of the landing */
	int is_whole;       /* the chain has been followed past the landing */
};

/*
 * Further out on the same stack, or one that was interrupted: what is below
 * the landing is inward. The stack up to there is this thread's, and mapped.
 */
static void find_way(struct way *way, uint64_t stack)
{
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	struct link link;

	way->count = way->returning = 0;
	way->id = hot.id;
	way->is_whole = 0;
	walk.readable_until = (stack | 4095) + 1;
	while (way->count < WAY_MAX && walk_next(&walk, &link)) {
		if (link.at >= stack) {
			way->is_whole = 1;
			return;
		}
		way->slots[way->count++] = link.shadow;
		if (!way->returning &&
		    next_is_inside(&next.unwinder, link.shadow->return_address))
			way->returning = way->count;
		way->id = walk.id;
	}
	way->is_whole = walk.id == ID_ROOT;
}

/* The same by any way there may be, however long and wherever it leads. */
static void prepare_far(uint64_t stack)
{
	const struct stack_range signals = signal_stack();
	const uint64_t id = landing_id(stack);
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);
	struct link link;
	int is_returning = 1;

	while (walk_next(&walk, &link) && is_inward(&signals, link.at, stack)) {
		uint64_t pc = link.shadow->return_address;

		if (is_returning)
			link.shadow->caller_id = id;
		else
			link.shadow->return_address = 0;
		is_returning &= !next_is_inside(&next.unwinder, pc);
	}
	hot.id = id;
}

/*
 * What an exception leaves behind is dead, and its slots shall not look like
 * those of running functions. But those that the unwinder has called do return
 * to it first.
 */
void landing_prepare(uint64_t stack)
{
	struct way way;

	if (stack < (uintptr_t)__builtin_frame_address(0)) {
		prepare_far(stack);
		return;
	}
	find_way(&way, stack);
	if (!way.is_whole) {
		prepare_far(stack);
		return;
	}
	for (uint32_t i = 0; i < way.count; i++)
		if (i < way.returning || !way.returning)
			way.slots[i]->caller_id = way.id;
		else
			way.slots[i]->return_address = 0;
	hot.id = way.id;
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
