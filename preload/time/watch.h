/* SPDX-License-Identifier: MIT */
/*
 * A thread of ours. With --time=wall it looks at all others now and then (visits.h),
 * from outside, so that threads that wait are seen where they wait; and it does a
 * job that somebody else has for it.
 *
 * It sleeps until the next of these is due. What it uses itself is measured, and
 * all threads are looked at less often while that is more than 1.6 % of the time
 * of one processor.
 *
 * The program is not to meet this thread: it blocks all signals, has none of
 * libc's state, opens files where the program's descriptors are not (task.h),
 * and is gone while something is asked of the kernel that only a process with a
 * single thread gets.
 */
#ifndef CLEW_TIME_WATCH_H
#define CLEW_TIME_WATCH_H

#include <stdint.h>

#include "preload/hot/tally.h"

/*
 * Begin, in this process. One thread at a time. In vain is counted as a thread
 * without a timer.
 */
void watch_start(uint64_t period_ns);

/*
 * A job for the thread: called when its time has come, it returns when that will
 * be next (CLOCK_MONOTONIC, ns). In a thread that has no descriptors but those that
 * it opens itself, and is not known to libc. One thread at a time may say so.
 */
typedef uint64_t (*watch_job)(uint64_t now_ns);

void watch_start_job(watch_job job);

/*
 * Has the thread call a function as soon as it can, and again for about two
 * seconds while that returns 0, which means that something is left to do. If the
 * thread has no other work it is started for that, and ends afterwards.
 */
typedef int (*watch_errand)(void);

void watch_run_errand(watch_errand errand);

/* In a forked child: the thread was its parent's. The first begins nothing. */
void watch_forget(void);
void watch_start_after_fork(void);

/* Likewise, where nobody will look at what is recorded. */
void watch_end_after_fork(void);

/*
 * End, and wait for that. Whether it was on; then watch_start_again() resumes
 * it. Any thread.
 */
int watch_stop(void);
void watch_start_again(void);

/* For good. */
void watch_end(void);

/* The calling thread owns a tally from now on. */
void watch_meet(struct tally *tally);

/*
 * Behind a filter there are no looks any more: as watch_stop(), and threads are
 * counted as those that have no samples. Then watch_resume() takes that back.
 */
void watch_give_up(void);
void watch_resume(void);

/* Its thread, or 0: not to be counted among those of the program. */
int watch_tid(void);

#endif
