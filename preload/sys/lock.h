/* SPDX-License-Identifier: MIT */
/*
 * A lock for clew's own structures that change seldom: a word and futex(2).
 *
 * The holder has all signals blocked, so none of its signal handlers can wait
 * for the lock. A lock is never held while code of the program runs. Locks are
 * reset in a forked child, which has no other threads.
 *
 * Under a system call filter (seccomp) a thread that executes clew's code can
 * neither block signals nor sleep. A signal handler that interrupts the holder
 * then continues without the lock. Other threads wait for a limited time only,
 * because a signal handler may have jumped out of the holder. The structures
 * that are protected then are small and seldom change (chained.h, trap.h).
 */
#ifndef CLEW_SYS_LOCK_H
#define CLEW_SYS_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/sys/spin_pause.h"
#include "preload/sys/sys.h"

struct lock {
	/*
	 * 1 while the lock is held, or LOCK_AWAITED if a thread also sleeps;
	 * otherwise 0
	 */
	_Atomic uint32_t held;
	/*
	 * Under a filter: the control block of the thread that holds the lock,
	 * or that will hold it next.
	 */
	_Atomic uint64_t filtered_owner;
};

#define LOCK_AWAITED    2
#define LOCK_NOT_TAKEN  (SYS_NOT_BLOCKED - 1) /* instead of a signal mask */
#define LOCK_PATIENCE   (1 << 18)             /* about 10 ms */

#define LOCK_FUTEX_WAIT 128 /* FUTEX_WAIT_PRIVATE of <linux/futex.h> */
#define LOCK_FUTEX_WAKE 129 /* FUTEX_WAKE_PRIVATE */

static inline int lock_try(struct lock *lock)
{
	uint32_t none = 0;

	return atomic_compare_exchange_strong_explicit(&lock->held, &none, 1,
						       memory_order_acquire,
						       memory_order_relaxed);
}

static inline void lock_acquire_filtered(struct lock *lock, uint64_t *signals)
{
	const uint64_t own = thread_block();
	uint64_t owner = atomic_load(&lock->filtered_owner);
	int is_next = 0;

	for (int i = 0; owner != own && i < LOCK_PATIENCE; i++) {
		uint64_t none = 0;

		is_next = is_next || atomic_compare_exchange_strong(
					     &lock->filtered_owner, &none, own);
		if (is_next && lock_try(lock))
			return;
		spin_pause();
	}
	if (is_next)
		atomic_store(&lock->filtered_owner, 0);
	*signals = LOCK_NOT_TAKEN;
}

/*
 * Signals are unblocked while the thread waits: it may have to report its pc
 * (live.h).
 */
static inline void lock_acquire(struct lock *lock, uint64_t *signals)
{
	sys_block_signals(signals);
	if (*signals != SYS_NOT_BLOCKED && lock_try(lock))
		return;
	while (*signals != SYS_NOT_BLOCKED &&
	       atomic_exchange_explicit(&lock->held, LOCK_AWAITED,
					memory_order_acquire)) {
		sys_restore_signals(signals);
		sys_call(SYS_futex, (long)&lock->held, LOCK_FUTEX_WAIT,
			 LOCK_AWAITED, 0, 0, 0);
		sys_block_signals(signals);
	}
	if (*signals == SYS_NOT_BLOCKED)
		lock_acquire_filtered(lock, signals);
}

/*
 * Releases the lock and restores the signal mask. Wakes sleepers even if a
 * filter was requested since lock_acquire(): the filter is not installed before
 * this (filter.h). Wakes all sleepers, because a thread that takes the lock
 * under a filter does not record that others are waiting.
 */
static inline void lock_release(struct lock *lock, const uint64_t *signals)
{
	if (*signals == LOCK_NOT_TAKEN)
		return;
	if (atomic_exchange_explicit(&lock->held, 0, memory_order_release) ==
	    LOCK_AWAITED)
		sys_call_anyway(SYS_futex, (long)&lock->held, LOCK_FUTEX_WAKE,
				INT32_MAX, 0, 0, 0);
	if (*signals == SYS_NOT_BLOCKED)
		atomic_store(&lock->filtered_owner, 0);
	sys_restore_signals(signals);
}

/* Resets the lock in a forked child, where its holder does not exist. */
static inline void lock_forget(struct lock *lock)
{
	atomic_store(&lock->filtered_owner, 0);
	atomic_store(&lock->held, 0);
}

#endif
