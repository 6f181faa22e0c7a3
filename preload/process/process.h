/* SPDX-License-Identifier: MIT */
/*
 * After a fork the child gets a recording of its own, linked to its parent's.
 */
#ifndef CLEW_PROCESS_PROCESS_H
#define CLEW_PROCESS_PROCESS_H

/*
 * Makes this forked child a process of its own if no atfork handler has done
 * so. Safe in signal handlers.
 */
void process_after_fork(void);

/*
 * Returns whether the recorded data is this process's own. False in a child
 * whose fork clew has not seen and that has counted nothing since, until this
 * function is called with `takes_over`. Forks are unseen in a process that is
 * being attached to, and by bare instructions elsewhere. The state of the
 * parent's threads is then reset. No other thread may count.
 */
int process_is_own(int takes_over);

/*
 * Registers atfork handlers. Returns 0 or -errno. Called once, before main;
 * calls libc.
 */
int process_watch_forks(void);

#endif
