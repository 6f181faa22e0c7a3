/* SPDX-License-Identifier: MIT */
/*
 * The watch: clew's own thread. With --time=wall it observes all other threads
 * from time to time (visits.h), so that waiting threads are sampled. The watch
 * also runs a job for other files.
 *
 * The watch sleeps until its next observation, job or errand is due. The watch
 * measures its own CPU time, and observes less often while it uses more than
 * 1.6 % of one processor.
 *
 * The watch is invisible to the program: it blocks all signals, has no state of
 * libc, and opens files in a descriptor table of its own (task.h). The watch
 * ends for as long as the program requests something from the kernel that only
 * a single-threaded process gets.
 */
#ifndef CLEW_TIME_WATCH_H
#define CLEW_TIME_WATCH_H

#include <stdint.h>

#include "preload/hot/tally.h"

/*
 * Starts the watch in this process. One thread at a time. A failure is counted
 * as a thread without a timer.
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
 * Lets the watch call a function as soon as possible, and again for about two
 * seconds while it returns 0, which means that work remains. A watch without
 * other work is started for this, and ends afterwards.
 */
typedef int (*watch_errand)(void);

void watch_run_errand(watch_errand errand);

/*
 * In a forked child, whose parent had the watch: watch_forget() starts no new
 * one, watch_start_after_fork() does.
 */
void watch_forget(void);
void watch_start_after_fork(void);

/* In a forked child whose recording has no readers: disables the watch. */
void watch_end_after_fork(void);

/*
 * Ends the watch and waits for its end. Returns whether it was active; then
 * watch_start_again() resumes it. Any thread.
 */
int watch_stop(void);
void watch_start_again(void);

/* Ends the watch for good. */
void watch_end(void);

/* Announces the calling thread, which has just become a tally's owner. */
void watch_meet(struct tally *tally);

/*
 * Ends the watch behind a system call filter, and counts its threads as threads
 * without samples. watch_resume() undoes this.
 */
void watch_give_up(void);
void watch_resume(void);

/* Returns the watch's tid, or 0; it is none of the program's threads. */
int watch_tid(void);

#endif
