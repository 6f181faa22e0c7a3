/* SPDX-License-Identifier: MIT */
/*
 * A lock that may not be had: by a signal handler that has interrupted its holder, which
 * would wait for ever. Nobody else holds one for as long as is waited here. It makes no
 * system call but sched_yield(), so any thread may take it anywhere.
 */
#ifndef CLEW_ALLOC_PATIENT_LOCK_H
#define CLEW_ALLOC_PATIENT_LOCK_H

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

#define PATIENT_LOCK_TRIES 100000

struct patient_lock {
	_Atomic int is_held;
};

/* 0 or -EBUSY. */
static inline int patient_lock_take(struct patient_lock *lock)
{
	for (int i = 0; i < PATIENT_LOCK_TRIES; i++) {
		if (!atomic_exchange_explicit(&lock->is_held, 1,
					      memory_order_acquire))
			return 0;
		if (i % 64 == 63)
			sched_yield();
	}
	return -EBUSY;
}

static inline void patient_lock_release(struct patient_lock *lock)
{
	atomic_store_explicit(&lock->is_held, 0, memory_order_release);
}

#endif
