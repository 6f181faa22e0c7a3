/* SPDX-License-Identifier: MIT */
/*
 * Programs that have their system calls filtered (seccomp).
 *
 * A filter answers a call that it does not know with death, and it cannot know
 * ours. So when the program asks for one, we make all the calls that we are
 * going to make, and then no more:
 *
 *	- the thread gets room for many contexts; what is over folds;
 *	- all system calls of ours fail from now on (sys.h), in all threads;
 *	- where one is under way with signals blocked, it is waited for.
 *
 * New threads and forked children find no room then: their calls are lost,
 * and counted as that. A filter that is set by a system call instruction of
 * the program's own is not noticed.
 *
 * A child made by vfork() that lets itself be filtered runs in the memory of its
 * parent, which is not filtered: what holds for the child ends when the parent
 * goes on.
 */
#ifndef CLEW_PROCESS_FILTER_H
#define CLEW_PROCESS_FILTER_H

/* Have room for contexts in the calling thread. False: there is less. */
int filter_make_room(void);

/*
 * The calling thread is about to ask for a filter. Returns what filter_end()
 * wants to know. Any thread.
 */
int filter_begin(void);

/* It has asked; is_set: and got it. */
void filter_end(int begun, int is_set);

/* The calling thread goes on behind a vfork(), in the parent. */
void filter_after_vfork(void);

#endif
