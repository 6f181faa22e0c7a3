/* SPDX-License-Identifier: MIT */
/* Starts and ends sampling, by the configured methods. */
#ifndef CLEW_TIME_SAMPLING_H
#define CLEW_TIME_SAMPLING_H

#include "preload/host/config.h"
#include "preload/hot/thread.h"
#include "preload/time/early_timers.h"

/*
 * Starts sampling: in threads that begin later, and in the calling thread
 * unless clew has attached to the process. Called when calls can be counted.
 */
void sampling_start(const struct config *config);

/*
 * Ends sampling without counting samples as lost. Any thread may call this
 * function.
 */
void sampling_end(void);

/*
 * Begins to sample the calling thread before its first hooked call. The thread
 * is a new one, or the only one of a new process. Does nothing if no samples
 * are taken.
 */
void sampling_begin_thread(void);

/*
 * Announce the threads that exist when clew attaches, while all of them are
 * stopped: first their number, then each one. Later sampling_meet_expected()
 * makes the watch begin to sample them, even if they make no hooked call.
 */
void sampling_expect_threads(uint64_t count);
void sampling_expect_thread(const struct hot_thread *thread, uint32_t tid,
			    const struct early_frames *frames);
void sampling_meet_expected(void);

/* Records the rest of the calling thread's CPU time when it ends. */
void sampling_end_thread(void);

/*
 * Records the rest of all threads' CPU time when the recording ends. Samples
 * may follow. Any thread may call this function.
 */
void sampling_note_rest(void);

/* Returns whether samples are taken in this process. */
int sampling_is_on(void);

/*
 * Called in a forked child after its part (its file of the recording) is
 * created.
 */
void sampling_after_fork(void);

#endif
