/* SPDX-License-Identifier: MIT */
/* See walk_slots.h. */
#include "preload/stack/walk_slots.h"

#include "machine/address_space.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/record/numbers.h"
#include "preload/sys/sys.h"

/*
 * Within this distance from the end of the stack on which it began, a thread is
 * still on that stack: the kernel leaves more room below the first thread's
 * stack, and other threads' stacks are seldom smaller.
 */
#define FIRST_STACK_BYTES (UINT64_C(64) << 20)
#define OWN_STACK_BYTES   (UINT64_C(1) << 18)

int walk_is_on_own_stack(uint64_t address)
{
	const uint64_t here = (uintptr_t)__builtin_frame_address(0);
	const uint64_t others_end = runtime_own_stack_end();
	const uint64_t end = others_end ? others_end : rt.first_stack_end;
	const uint64_t bytes = others_end ? OWN_STACK_BYTES : FIRST_STACK_BYTES;

	return here < end && end - here < bytes &&
	       address >= (here & ~(PAGE_BYTES - 1)) && address < end;
}

int walk_is_readable(uint64_t address, uint64_t *known_page)
{
	uint64_t page = address & ~(PAGE_BYTES - 1);
	const int no_such_way = -1;

	if (!page) /* page 0 is never known, whatever *known_page contains */
		return 0;
	if ((*known_page & ~(uint64_t)WALK_MISSING) == page)
		return !(*known_page & WALK_MISSING);
	if (runtime_is_filtered())
		return walk_is_on_own_stack(address);
	if (sys_call(SYS_rt_sigprocmask, no_such_way, (long)page, 0, 8, 0, 0) ==
	    -EFAULT)
		page |= WALK_MISSING;
	*known_page = page;
	return !(page & WALK_MISSING);
}

int walk_is_live(uint64_t at, uint64_t *mapped_page)
{
	return walk_is_readable(at, mapped_page) &&
	       walk_is_waiting(*(const uint64_t *)at);
}

const struct trampoline *walk_trampoline(uint64_t at, uint64_t *known_page)
{
	const struct trampoline *one = NULL;

	if (rt.trampolines && walk_is_readable(at, known_page))
		one = trampoline_at(*(const uint64_t *)at);
	return one && one->id ? one : NULL;
}

/*
 * Returns whether the slot still contains 0, because a slow path interrupts the
 * entry.
 */
static int is_entered(uint64_t at, uint64_t known_page)
{
	return walk_is_readable(at, &known_page) && !*(const uint64_t *)at;
}

uint32_t walk_first_function(uint64_t at, uint64_t id)
{
	uint64_t page = at & ~(PAGE_BYTES - 1);

	for (int left = WALK_NEAR_SLOTS; left > 0; left--, at += 8) {
		const struct shadow_slot *shadow = shadow_of(at);
		uint32_t function;

		if (!shadow || shadow->return_address)
			continue;
		function = numbers_function_between(shadow->caller_id, id);
		if (function &&
		    (walk_is_live(at, &page) || is_entered(at, page)))
			return function;
	}
	return 0;
}
