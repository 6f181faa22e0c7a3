/* SPDX-License-Identifier: MIT */
/*
 * Counts waits for locks and holds of locks by calling context in clew's
 * recording (agent/clew.h). Any thread, and signal handlers.
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
	/* Acquisitions of a lock that another thread held. */
	LOCK_CONTENDED,
	LOCK_WAIT,         /* ns until it was acquired or the wait ended */
	LOCK_LONGEST_WAIT, /* ns */
	LOCK_HOLD,         /* ns from acquisition to release */
	LOCK_LONGEST_HOLD, /* ns */
	/* Attempts that failed, and waits that timed out. */
	LOCK_REFUSED,
	LOCK_CONDITIONS, /* waits for a condition */
	/* Time in ns of these waits, including those for the mutex. */
	LOCK_CONDITION_NS,
	/* Holds that found no room in the table; outside contexts. */
	LOCK_UNTRACKED,
	LOCK_VALUES
};

/*
 * Returns whether clew is present; called repeatedly until `is_last`, because
 * clew may not have begun yet.
 */
int lock_sites_begin(int is_last);

/* Returns the row of the thread's context; 0: nothing is counted. */
uint64_t lock_sites_here(void);

/*
 * Count an acquired lock, and a failed attempt; `waited_ns` 0: without waiting.
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
