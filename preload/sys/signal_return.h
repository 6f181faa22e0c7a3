/* SPDX-License-Identifier: MIT */
/*
 * Signal actions in the kernel's format, for clew's own handlers.
 *
 * libc's sigaction() may be hooked, and clew wraps it, so clew itself makes the
 * system calls. They are also made under a system call filter (filter.h). These
 * functions are safe in any thread and signal handler.
 */
#ifndef CLEW_SYS_SIGNAL_RETURN_H
#define CLEW_SYS_SIGNAL_RETURN_H

#include <stddef.h>
#include <stdint.h>

#include "preload/sys/sys.h"

/* The bit of a signal in a mask. */
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
	uintptr_t signal_return; /* the return address of a handler */
	uint64_t mask;
};

#define SIGNAL_HAS_RETURN 0x04000000 /* SA_RESTORER of <asm/signal.h> */

/* signal_return.S */
void signal_return(void);

/*
 * Called in a signal handler: sets the thread's mask by rt_sigreturn, the
 * system call with which handlers return. Every system call filter under which
 * a program can have handlers allows this call. Floating-point registers become
 * those of the beginning of a handler.
 */
void signal_change_mask(uint64_t mask);

/*
 * Changes bits of the thread's signal mask and returns the former mask. Under a
 * system call filter does nothing and returns 0.
 */
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

/*
 * Sets an action whose handler returns through signal_return(). Returns 0 or
 * -errno.
 */
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
