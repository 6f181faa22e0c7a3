/* SPDX-License-Identifier: MIT */
/*
 * Signal actions as the kernel knows them, for handlers of our own.
 *
 * libc's sigaction() may be hooked, and stands behind ours. System calls only,
 * made behind a filter too (filter.h); safe anywhere.
 */
#ifndef CLEW_SYS_SIGNAL_RETURN_H
#define CLEW_SYS_SIGNAL_RETURN_H

#include <stddef.h>
#include <stdint.h>

#include "preload/sys/sys.h"

/* In a mask. */
#define SIGNAL_BIT(signal) (UINT64_C(1) << ((unsigned int)(signal)-1))

static inline int signals_in(uint64_t mask)
{
	int count = 0;

	for (; mask; count++)
		mask &= mask - 1;
	return count;
}

struct kernel_action {
	uintptr_t handler;
	uint64_t flags;
	uintptr_t signal_return; /* what a handler returns to */
	uint64_t mask;
};

#define SIGNAL_HAS_RETURN 0x04000000 /* SA_RESTORER of <asm/signal.h> */

/* signal_return.S */
void signal_return(void);

/*
 * In a handler: have these signals blocked, by the system call with which
 * handlers return, which every filter allows who lets the program have handlers.
 * Floating-point registers are as at the beginning of a handler afterwards.
 */
void signal_change_mask(uint64_t mask);

/* In the thread's mask, which is returned as it was. Nothing, behind a filter. */
static inline uint64_t signal_change_bits(int how, uint64_t bits)
{
	uint64_t mask = 0;

	sys_call(SYS_rt_sigprocmask, how, (long)&bits, (long)&mask,
		 sizeof(mask), 0, 0);
	return mask;
}

static inline int signal_get_action(int signal, struct kernel_action *out)
{
	return (int)sys_call_anyway(SYS_rt_sigaction, signal, 0, (long)out,
				    sizeof(out->mask), 0, 0);
}

/* Handlers come back through signal_return(). 0 or -errno. */
static inline int signal_set_action(int signal,
				    const struct kernel_action *action,
				    struct kernel_action *old)
{
	struct kernel_action full = *action;

	full.flags |= SIGNAL_HAS_RETURN;
	full.signal_return = (uintptr_t)signal_return;
	return (int)sys_call_anyway(SYS_rt_sigaction, signal, (long)&full,
				    (long)old, sizeof(full.mask), 0, 0);
}

#endif
