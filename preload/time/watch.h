/* SPDX-License-Identifier: MIT */
/*
 * The watch: clew's own thread. With --time=wall it observes all other threads
 * from time to time (visits.h), so that waiting threads are sampled. The watch
 * also calls one function of other code repeatedly (the job), and one for a
 * short time (the errand).
 *
 * The watch sleeps until its next observation, job or errand is due. The watch
 * measures its own CPU time, and observes less often while it uses more than
 * 1.6 % of one processor.
 *
 * The watch is invisible to the program: it blocks all signals, has no state of
 * libc, and opens files in a descriptor table of its own (task.h). The watch is
 * stopped while the program makes a system call that only a single-threaded
 * process may make, such as unshare(CLONE_NEWUSER).
 */
#ifndef CLEW_TIME_WATCH_H
#define CLEW_TIME_WATCH_H

#include <stdint.h>

#include "preload/hot/tally.h"

/*
 * Starts the watch in this process. Only one thread at a time may call this
 * function. If the watch cannot be created, the recording counts one thread
 * without a timer.
 */
void watch_start(uint64_t period_ns);

/*
 * Sets the job of the watch: a function that is called when it is due and
 * returns when it is due next (CLOCK_MONOTONIC, ns). The watch has no
 * descriptors except those that it opens itself, and libc does not know it. One
 * thread at a time may call this.
 */
typedef uint64_t (*watch_job)(uint64_t now_ns);

void watch_start_job(watch_job job);

/*
 * Makes the watch call a function as soon as possible. The function returns 0
 * if work remains; it is then called again, for about one second in all. If the
 * watch does not run, it is started for this and ends afterwards.
 */
typedef int (*watch_errand)(void);

void watch_run_errand(watch_errand errand);

/*
 * Called in a forked child whose parent had a watch, which the child lacks.
 * watch_forget() only notes that there is no watch; watch_start_after_fork()
 * also starts a new watch.
 */
void watch_forget(void);
void watch_start_after_fork(void);

/*
 * Called in a forked child whose recording nobody can read: the child gets no
 * watch.
 */
void watch_end_after_fork(void);

/*
 * Ends the watch and waits until it has ended. Returns whether there was one;
 * then watch_start_again() starts it again. In the child of a vfork it does
 * nothing and returns 0. Any thread may call these functions.
 */
int watch_stop(void);
void watch_start_again(void);

/* Ends the watch permanently. */
void watch_end(void);

/*
 * Announces to the watch that the calling thread has begun to count in this
 * tally.
 */
void watch_meet(struct tally *tally);

/*
 * Ends the watch because of a system call filter. The recording then counts the
 * threads as not sampled. watch_resume() undoes this.
 */
void watch_give_up(void);
void watch_resume(void);

/*
 * Returns the tid of the watch, or 0. Code that lists the program's threads
 * must skip it.
 */
int watch_tid(void);

#endif
