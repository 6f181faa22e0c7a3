/* SPDX-License-Identifier: MIT */
/*
 * Programs that filter their system calls (seccomp).
 *
 * A filter may kill the process at a system call that the program itself does
 * not make, such as clew's. Therefore clew makes all the calls that it needs
 * when the program requests a filter, and none afterwards:
 *
 * - Room is made for many contexts of the thread. Calls in further contexts
 *   count at "(folded)".
 * - All system calls of clew's fail from now on (sys.h), in all threads.
 * - clew waits until its own system calls in other threads, which have blocked
 *   signals, have ended, or half a second has passed.
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
 * Makes room for many contexts of the calling thread. Returns false if there is
 * no room for all of them, if nothing is recorded, or if a filter is set.
 */
int filter_make_room(void);

/*
 * Called before the calling thread requests a filter. Returns the first
 * argument of filter_end(). Any thread may call this function.
 */
int filter_begin(void);

/* Called after the request; is_set: it has succeeded. */
void filter_end(int begun, int is_set);

/* Called in the parent when it continues after a vfork(). */
void filter_after_vfork(void);

/*
 * Notes the filters with which the process begins to be recorded. clew knows
 * the calls that these forbid (wire/avoidable.h), and makes the others.
 */
void filter_note_first(void);

/* Returns whether the main thread has other filters now, or may have. */
int filter_is_new(void);

#endif
