/* SPDX-License-Identifier: MIT */
/*
 * Locks that are held, by address: since when, and where they were taken. Any thread,
 * and signals; nobody waits.
 */
#ifndef CLEW_LOCKS_HELD_LOCKS_H
#define CLEW_LOCKS_HELD_LOCKS_H

#include <stdint.h>

struct held_lock {
	const void *lock;
	int is_shared; /* others may hold it as well */
	uint64_t row;  /* where it counts: lock_sites.h */
	uint64_t since_ns;
};

/*
 * The calling thread holds it. Whether there was room. Who had it before and is said to
 * hold it still, but is not shared, does so no more.
 */
int held_locks_add(const struct held_lock *held);

/*
 * It is about to be released: whether it was there. The calling thread's hold, the last
 * one if there are several; without such, and if it need not be its own, another's.
 */
int held_locks_take(const void *lock, int is_shared, int is_own,
		    struct held_lock *out);

/* In a forked child: none is held. */
void held_locks_after_fork(void);

#endif
