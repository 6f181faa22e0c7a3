/* SPDX-License-Identifier: MIT */
/*
 * Where the time goes, by samples: the ways to take them, as configured.
 */
#ifndef CLEW_TIME_SAMPLING_H
#define CLEW_TIME_SAMPLING_H

#include "preload/host/config.h"
#include "preload/hot/thread.h"
#include "preload/time/early_timers.h"

/* Begin, with this thread. Before main, when calls can be counted. */
void sampling_start(const struct config *config);

/* No samples are taken any more; none is lost by that. Any thread. */
void sampling_end(void);

/*
 * The calling thread is new, or a process of its own: sample it from now on,
 * not only from its first hooked call. Nothing if no samples are taken.
 */
void sampling_begin_thread(void);

/*
 * The threads that exist when clew attaches, all stopped: so many, and each of
 * them. When all can count, the last function sees to it that they are sampled
 * from now on, whatever they do.
 */
void sampling_expect_threads(uint64_t count);
void sampling_expect_thread(const struct hot_thread *thread, uint32_t tid,
			    const struct early_frames *frames);
void sampling_meet_expected(void);

/* The calling thread ends: the rest of its CPU time is recorded. */
void sampling_end_thread(void);

/* The process ends: likewise, for all threads. Samples may follow. Any thread. */
void sampling_note_rest(void);

/* Whether samples are taken in this process. */
int sampling_is_on(void);

/* In a forked child, when its part is there. */
void sampling_after_fork(void);

#endif
