/* SPDX-License-Identifier: MIT */
/*
 * In front of sigaltstack(): some programs give all of their threads one alternate stack,
 * for handlers that never return. Ours run on it for an instant, for there the program's
 * own stack may have no room; two threads at once would write over each other's frames.
 * And who knows a call's stack by where it is has to know where the other one is.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "preload/host/next.h"
#include "preload/hot/sink.h"
#include "preload/sys/chained.h"
#include "preload/sys/sys.h"

/* Of the latest that was set: its address without what is too few bytes for one, and whose. */
#define THREAD_BITS 22 /* the kernel's PID_MAX_LIMIT */
#define STACK_SHIFT 5

static _Atomic uint64_t latest;

static int is_alive(uint64_t tid)
{
	return !sys_call(SYS_tgkill, sys_getpid(), (long)tid, 0, 0, 0, 0);
}

static void note(const void *stack)
{
	const uint64_t own = (uint32_t)sys_gettid();
	const uint64_t now =
		(uintptr_t)stack >> STACK_SHIFT << THREAD_BITS | own;
	const uint64_t former = atomic_exchange(&latest, now);
	const uint64_t tid = former & ((UINT64_C(1) << THREAD_BITS) - 1);

	if (former >> THREAD_BITS == now >> THREAD_BITS && tid != own &&
	    is_alive(tid))
		chained_leave_alternate_stacks(0);
}

EXPORT int sigaltstack(const stack_t *set, stack_t *old)
{
	int status;

	if (set && !(set->ss_flags & SS_DISABLE))
		note(set->ss_sp);
	status = NEXT(sigaltstack)(set, old);
	if (set)
		sink_signal_stack();
	return status;
}
