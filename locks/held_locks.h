/* SPDX-License-Identifier: MIT */
/*
 * Held locks, by address: since when, and in which context they were taken. Any
 * thread, and signal handlers; no function waits.
 */
#ifndef CLEW_LOCKS_HELD_LOCKS_H
#define CLEW_LOCKS_HELD_LOCKS_H

#include <stdint.h>

struct held_lock {
	const void *lock;
	int is_shared; /* several threads may hold it */
	uint64_t row;  /* the row where it counts: lock_sites.h */
	uint64_t since_ns;
};

/*
 * Records that the calling thread holds the lock. Returns whether there was
 * room. Replaces the record of an earlier owner, unless the hold is shared.
 */
int held_locks_add(const struct held_lock *held);

/*
 * Removes the record of a lock that is about to be released. Returns whether
 * there was one: the calling thread's latest hold or, if there is none and
 * `is_own` is 0, another thread's.
 */
int held_locks_take(const void *lock, int is_shared, int is_own,
		    struct held_lock *out);

/* Called in a forked child: forgets all holds. */
void held_locks_after_fork(void);

#endif
