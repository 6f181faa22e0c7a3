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
	_Atomic uint32_t held;
};

/* Signals arrive while it waits: it may have to be asked for its pc (live.h). */
static inline void lock_acquire(struct lock *lock, uint64_t *signals)
{
	/* Asleep rather than yielding: the owner may have a lower priority. */
	const struct timespec moment = { .tv_nsec = 20000 };

	sys_block_signals(signals);
	while (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire)) {
		sys_restore_signals(signals);
		sys_call(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
		sys_block_signals(signals);
	}
}

static inline void lock_release(struct lock *lock, const uint64_t *signals)
{
	atomic_store_explicit(&lock->held, 0, memory_order_release);
	sys_restore_signals(signals);
}

#endif
