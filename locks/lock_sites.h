/* SPDX-License-Identifier: MIT */
/*
 * Where locks are taken and waited for: calling contexts, and what is counted of each,
 * in clew's recording (agent/clew.h). Any thread, and signals.
 */
#ifndef CLEW_LOCKS_LOCK_SITES_H
#define CLEW_LOCKS_LOCK_SITES_H

#include <stdint.h>

/* What clew report --value=NAME takes, in the order of the names in lock_sites.c. */
enum lock_value {
	LOCK_ACQUISITIONS,
	LOCK_CONTENDED, /* of these: somebody else had it */
	LOCK_WAIT,      /* ns until it was had, or not waited for any longer */
	LOCK_LONGEST_WAIT, /* ns */
	LOCK_HOLD,         /* ns from having it until releasing it */
	LOCK_LONGEST_HOLD, /* ns */
	LOCK_REFUSED,      /* tries that failed, and waits that timed out */
	LOCK_CONDITIONS,   /* waits for a condition */
	LOCK_CONDITION_NS, /* these waits, with those for the mutex behind */
	LOCK_UNTRACKED,    /* holds that found no room here, of no context */
	LOCK_VALUES
};

/* Whether clew is here; asked again until `is_last`, as it may not have begun yet. */
int lock_sites_begin(int is_last);

/* The row of the context that the thread is in; 0: nothing is counted. */
uint64_t lock_sites_here(void);

/* A lock was had, or was not; `waited_ns` 0: without waiting. */
void lock_sites_take(uint64_t row, int is_contended, uint64_t waited_ns);
void lock_sites_refuse(uint64_t row, uint64_t waited_ns);

/* One that was taken there is released. */
void lock_sites_release(uint64_t row, uint64_t held_ns);

/* A wait for a condition ends. */
void lock_sites_wake(uint64_t row, uint64_t waited_ns);

/* How long a lock is held will not be known. */
void lock_sites_miss(void);

#endif
