/* SPDX-License-Identifier: MIT */
/*
 * Counts waits for locks and holds of locks by calling context in clew's
 * recording (agent/clew.h). Any thread and signal handler may call these
 * functions.
 */
#ifndef CLEW_LOCKS_LOCK_SITES_H
#define CLEW_LOCKS_LOCK_SITES_H

#include <stdint.h>

/*
 * The values of clew report --value=NAME, in the order of the names in
 * lock_sites.c.
 */
enum lock_value {
	LOCK_ACQUISITIONS,
	/* Number of acquisitions of a lock that another thread held. */
	LOCK_CONTENDED,
	/* time until the lock was acquired or the wait ended, in ns */
	LOCK_WAIT,
	LOCK_LONGEST_WAIT, /* ns */
	LOCK_HOLD,         /* time from acquisition to release, in ns */
	LOCK_LONGEST_HOLD, /* ns */
	/*
	 * Number of attempts that failed because the lock was held, and of
	 * waits that timed out.
	 */
	LOCK_REFUSED,
	LOCK_CONDITIONS, /* number of waits for a condition */
	/* Time of these waits in ns, including the waits for the mutex. */
	LOCK_CONDITION_NS,
	/*
	 * Number of holds for which the table had no room. Counted outside of
	 * all contexts.
	 */
	LOCK_UNTRACKED,
	LOCK_VALUES
};

/*
 * Returns whether clew is present. It is called repeatedly, because clew may
 * not have begun yet; is_last is set at the last call.
 */
int lock_sites_begin(int is_last);

/* Returns the row of the thread's context, or 0 if nothing is counted. */
uint64_t lock_sites_here(void);

/*
 * lock_sites_take() counts an acquired lock, and lock_sites_refuse() a failed
 * attempt. waited_ns is 0 if the thread did not wait.
 */
void lock_sites_take(uint64_t row, int is_contended, uint64_t waited_ns);
void lock_sites_refuse(uint64_t row, uint64_t waited_ns);

/* Counts the release of a lock that was taken in that row's context. */
void lock_sites_release(uint64_t row, uint64_t held_ns);

/* Counts the end of a wait for a condition. */
void lock_sites_wake(uint64_t row, uint64_t waited_ns);

/* Counts a hold whose duration cannot be measured. */
void lock_sites_miss(void);

#endif
