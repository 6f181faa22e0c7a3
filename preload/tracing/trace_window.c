/* SPDX-License-Identifier: MIT */
/* See trace_window.h. */
#include "preload/tracing/trace_window.h"

#include <signal.h>

#include "preload/sys/sys.h"

/*
 * Returns the part of the window that is on the same stack as the slot: inside
 * the alternate signal stack [low, high), or on the slot's side of it.
 */
static struct stack_window part_of(struct stack_window window, uint64_t slot,
				   uint64_t low, uint64_t high)
{
	uint64_t from = window.base, until = window.base + window.span;

	if (slot >= high)
		from = from > high ? from : high;
	else if (slot < low)
		until = until < low ? until : low;
	else {
		from = from > low ? from : low;
		until = until < high ? until : high;
	}
	return (struct stack_window){ .base = from, .span = until - from };
}

struct stack_window trace_window_around(const uint64_t *slot)
{
	const uint64_t at = (uintptr_t)slot & ~(uint64_t)(TRACE_SLOT_BYTES - 1);
	const struct stack_window window = {
		.base = at - TRACE_WINDOW_BYTES / 2, .span = TRACE_WINDOW_BYTES
	};
	stack_t alternate;

	if (sys_call(SYS_sigaltstack, 0, (long)&alternate, 0, 0, 0, 0) ||
	    alternate.ss_flags & SS_DISABLE)
		return window;
	return part_of(window, at, (uintptr_t)alternate.ss_sp,
		       (uintptr_t)alternate.ss_sp + alternate.ss_size);
}
