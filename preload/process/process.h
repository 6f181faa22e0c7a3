/* SPDX-License-Identifier: MIT */
/*
 * fork: the child gets a recording of its own, linked to its parent's.
 */
#ifndef CLEW_PROCESS_PROCESS_H
#define CLEW_PROCESS_PROCESS_H

/*
 * Make this forked child a process of its own, where no handler has done so.
 * Safe in signal handlers.
 */
void process_after_fork(void);

/*
 * Whether what is recorded is this process's own: not in a child whose fork nobody has
 * seen and that has counted nothing since, until this is called with `takes_over`. Such
 * forks are those of a process that is just being attached to, and bare instructions. What
 * the parent's threads did is forgotten then. No other thread counts.
 */
int process_is_own(int takes_over);

/* Be told of forks. 0 or -errno. Once, before main; calls libc. */
int process_watch_forks(void);

#endif
