/* SPDX-License-Identifier: MIT */
/*
 * A lock for the cold side's rare allocations.
 *
 * Held with every signal blocked, so that no handler of the owner can wait for
 * it, and never across anything of the program's. Re-initialised in a forked
 * child, whose other threads are gone.
 */
#ifndef CLEW_PRELOAD_LOCK_H
#define CLEW_PRELOAD_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/sys.h"

struct lock {
	_Atomic uint32_t held; /* 1, or LOCK_AWAITED: somebody sleeps */
};

#define LOCK_AWAITED    2

#define LOCK_FUTEX_WAIT 128 /* FUTEX_WAIT_PRIVATE of <linux/futex.h> */
#define LOCK_FUTEX_WAKE 129 /* FUTEX_WAKE_PRIVATE */

/* Signals arrive while it waits: it may have to be asked for its pc (live.h). */
static inline void lock_acquire(struct lock *lock, uint64_t *signals)
{
	uint32_t none = 0;

	sys_block_signals(signals);
	if (atomic_compare_exchange_strong_explicit(&lock->held, &none, 1,
						    memory_order_acquire,
						    memory_order_relaxed))
		return;
	while (atomic_exchange_explicit(&lock->held, LOCK_AWAITED,
					memory_order_acquire)) {
		sys_restore_signals(signals);
		sys_call(SYS_futex, (long)&lock->held, LOCK_FUTEX_WAIT,
			 LOCK_AWAITED, 0, 0, 0);
		sys_block_signals(signals);
	}
}

/* Wakes also when a filter has been asked for since: it waits (filter.h). */
static inline void lock_release(struct lock *lock, const uint64_t *signals)
{
	if (atomic_exchange_explicit(&lock->held, 0, memory_order_release) ==
	    LOCK_AWAITED)
		sys_call_anyway(SYS_futex, (long)&lock->held, LOCK_FUTEX_WAKE,
				1, 0, 0, 0);
	sys_restore_signals(signals);
}

#endif
