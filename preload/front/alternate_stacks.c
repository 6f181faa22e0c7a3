/* SPDX-License-Identifier: MIT */
/*
 * Front of sigaltstack(). Some programs give all their threads the same
 * alternate stack, for handlers that never return. clew's handlers run on it
 * for a moment, because the program's own stack may be full there; two threads
 * at once would overwrite each other's frames. Code that decides by address
 * which stack a call is on must also know the alternate stack.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "preload/host/next.h"
#include "preload/hot/sink.h"
#include "preload/sys/chained.h"
#include "preload/sys/sys.h"

/*
 * The stack that was set last, in one word: the upper bits of its address, and
 * the tid of its thread.
 */
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
		chained_stop_alternate_stacks(0);
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
