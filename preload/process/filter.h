/* SPDX-License-Identifier: MIT */
/*
 * Programs that filter their system calls (seccomp).
 *
 * A filter kills at a call that it does not know, and it cannot know clew's.
 * Therefore clew makes all the calls that it needs when the program requests a
 * filter, and none afterwards:
 *
 * - The thread gets room for many contexts; further ones fold.
 * - All system calls of clew's fail from now on (sys.h), in all threads.
 * - Calls that other threads have begun with signals blocked are waited for.
 *
 * New threads and forked children have no room then: their calls are counted as
 * lost. A filter that the program sets by its own system call instruction is
 * not detected.
 *
 * A child of vfork() that requests a filter runs in the memory of its parent,
 * which is not filtered. The restrictions end when the parent continues.
 */
#ifndef CLEW_PROCESS_FILTER_H
#define CLEW_PROCESS_FILTER_H

/*
 * Makes room for contexts in the calling thread. Returns false if there is
 * less.
 */
int filter_make_room(void);

/*
 * Called before the calling thread requests a filter. Returns the first
 * argument of filter_end(). Any thread.
 */
int filter_begin(void);

/* Called after the request; is_set: it has succeeded. */
void filter_end(int begun, int is_set);

/* Called in the parent when it continues after a vfork(). */
void filter_after_vfork(void);

#endif
