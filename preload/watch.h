/* SPDX-License-Identifier: MIT */
/*
 * --time=wall: a thread of ours that looks at all others now and then.
 *
 * It reads the id of each from outside and does not interrupt anybody, so that
 * threads that wait are seen where they wait. Their memory is read by a system
 * call that fails where nothing is mapped, for they may end at any time.
 *
 * A visit stands for the time since the one before it. Whether a thread runs
 * is told by its CPU clock, if it has run for most of that time or not at all;
 * of a few others in each visit the kernel is asked whether they want to run. A
 * thread that waits is left out of three visits of four: its clock tells later
 * how long it went on waiting. And as long as it waits in one context a single
 * sample grows, until that stands for a second.
 *
 * The program is not to meet this thread: it blocks all signals, has none of
 * libc's state, opens files where the program's descriptors are not (task.h),
 * and is gone while something is asked of the kernel that only a process with a
 * single thread gets.
 */
#ifndef CLEW_PRELOAD_WATCH_H
#define CLEW_PRELOAD_WATCH_H

#include <stdint.h>

/*
 * Begin, in this process. One thread at a time. In vain is counted as a thread
 * without a timer.
 */
void watch_start(uint64_t period_ns);

/* In a forked child: the thread was its parent's. */
void watch_start_after_fork(void);

/*
 * End, and wait for that. Whether it was on; then watch_start_again() resumes
 * it. Any thread.
 */
int watch_stop(void);
void watch_start_again(void);

/* Its thread, or 0: not to be counted among those of the program. */
int watch_tid(void);

#endif
