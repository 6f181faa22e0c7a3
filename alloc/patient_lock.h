/* SPDX-License-Identifier: MIT */
/*
 * A lock whose acquisition may fail: a signal handler that has interrupted the
 * lock's owner would wait for ever. The lock therefore stores its owner. In a
 * child that was forked by a raw system call the owner may not exist: if the
 * lock is not released for far longer than any thread holds it, the lock is
 * given up. The functions call no function of libc that allocates memory or is
 * a cancellation point. They may change errno.
 */
#ifndef CLEW_ALLOC_PATIENT_LOCK_H
#define CLEW_ALLOC_PATIENT_LOCK_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENT_LOCK_GIVEN_UP 1
#define PATIENT_LOCK_SPINS    200
#define PATIENT_LOCK_SLEEP_NS 50000
/* number of sleeps, in all 20 s, or more on a busy system */
#define PATIENT_LOCK_SLEEPS 400000

struct patient_lock {
	/* identifies the owner; 0 if the lock is free */
	_Atomic uintptr_t holder;
	/* written by the owner: whether the lock is held for a fork */
	int is_for_fork;
};

/* Acquires the lock. Returns 0, or -EBUSY if this is not possible. */
static inline int patient_lock_take(struct patient_lock *lock)
{
	const uintptr_t self = (uintptr_t)pthread_self();
	const struct timespec awhile = { .tv_nsec = PATIENT_LOCK_SLEEP_NS };

	for (int i = 0; i < PATIENT_LOCK_SPINS + PATIENT_LOCK_SLEEPS; i++) {
		uintptr_t holder = 0;

		if (atomic_compare_exchange_strong_explicit(
			    &lock->holder, &holder, self, memory_order_acquire,
			    memory_order_relaxed))
			return 0;
		if (holder == self || holder == PATIENT_LOCK_GIVEN_UP)
			return -EBUSY;
		if (i >= PATIENT_LOCK_SPINS)
			syscall(SYS_nanosleep, &awhile, NULL);
	}
	atomic_store(&lock->holder, PATIENT_LOCK_GIVEN_UP);
	return -EBUSY;
}

/* Acquires the lock if it is free. Returns 0 or -EBUSY. */
static inline int patient_lock_try(struct patient_lock *lock)
{
	uintptr_t holder = 0;

	return atomic_compare_exchange_strong_explicit(
		       &lock->holder, &holder, (uintptr_t)pthread_self(),
		       memory_order_acquire, memory_order_relaxed)
		       ? 0
		       : -EBUSY;
}

static inline void patient_lock_release(struct patient_lock *lock)
{
	atomic_store_explicit(&lock->holder, 0, memory_order_release);
}

/*
 * Called before and after a fork, also in the child. If the lock is not held
 * for the fork, a signal handler has forked that interrupted the lock's owner:
 * the protected data must not be used then.
 */
static inline void patient_lock_before_fork(struct patient_lock *lock)
{
	if (patient_lock_take(lock) == 0)
		lock->is_for_fork = 1;
}

static inline int patient_lock_is_for_fork(const struct patient_lock *lock)
{
	return lock->is_for_fork;
}

static inline void patient_lock_after_fork(struct patient_lock *lock)
{
	if (!lock->is_for_fork)
		return;
	lock->is_for_fork = 0;
	patient_lock_release(lock);
}

#endif
