/* SPDX-License-Identifier: MIT */
/*
 * Decides which of two stack addresses is further in (nearer to the running
 * function). The thread may be on its own stack or on its alternate signal
 * stack (sigaltstack(2)).
 */
#ifndef CLEW_STACK_LANDING_STACKS_H
#define CLEW_STACK_LANDING_STACKS_H

#include <signal.h>
#include <stdint.h>

#include "preload/sys/sys.h"

struct stack_range {
	uint64_t start;
	uint64_t end;
};

/*
 * Returns the alternate signal stack if the thread is on it, else an empty
 * range.
 */
static inline struct stack_range landing_signal_stack(void)
{
	stack_t ss;

	if (sys_call(SYS_sigaltstack, 0, (long)&ss, 0, 0, 0, 0) ||
	    !(ss.ss_flags & SS_ONSTACK))
		return (struct stack_range){ 0 };
	return (struct stack_range){ (uintptr_t)ss.ss_sp,
				     (uintptr_t)ss.ss_sp + ss.ss_size };
}

static inline int landing_is_inside(const struct stack_range *range,
				    uint64_t stack)
{
	return stack >= range->start && stack < range->end;
}

/*
 * Returns whether the stack address `at` is further in than the landing. A
 * handler on the alternate stack is further in than the code that it
 * interrupted, wherever that stack lies.
 */
static inline int landing_is_inward(const struct stack_range *signals,
				    uint64_t at, uint64_t landing)
{
	if (landing_is_inside(signals, at) !=
	    landing_is_inside(signals, landing))
		return landing_is_inside(signals, at);
	return at < landing;
}

#endif
