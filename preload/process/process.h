/* SPDX-License-Identifier: MIT */
/*
 * After a fork the child gets a recording of its own, linked to its parent's.
 */
#ifndef CLEW_PROCESS_PROCESS_H
#define CLEW_PROCESS_PROCESS_H

/*
 * Makes this forked child a process of its own. Call it only if no atfork
 * handler has done so. Safe in signal handlers.
 */
void process_after_fork(void);

/*
 * Returns whether the recording belongs to this process. The recording belongs
 * to the parent if clew has not noticed the fork: in a process that is just
 * being attached to, or if the program has made the system call by an
 * instruction of its own. If the result is false, the state of the parent's
 * threads was reset. After a call with takes_over != 0, later calls return
 * true. No other thread may be counting.
 */
int process_is_own(int takes_over);

/*
 * Registers atfork handlers. Returns 0 or -errno. Called before main or when
 * clew attaches; calls libc.
 */
int process_watch_forks(void);

#endif
