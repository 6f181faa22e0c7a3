/* SPDX-License-Identifier: MIT */
/*
 * Stores by address which locks are held, since when, and in which context they
 * were acquired. Any thread and signal handler may call these functions, which
 * never wait.
 */
#ifndef CLEW_LOCKS_HELD_LOCKS_H
#define CLEW_LOCKS_HELD_LOCKS_H

#include <stdint.h>

struct held_lock {
	const void *lock;
	int is_shared; /* whether several threads may hold the lock at once */
	uint64_t row;  /* row in which the hold is counted (lock_sites.h) */
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

/*
 * Forgets all holds: in a forked child, and before and after a session. Makes
 * one system call.
 */
void held_locks_clear(void);

#endif
