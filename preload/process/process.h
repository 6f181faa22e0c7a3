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

/* Be told of forks. 0 or -errno. Once, before main; calls libc. */
int process_watch_forks(void);

#endif
