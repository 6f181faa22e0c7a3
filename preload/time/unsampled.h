/* SPDX-License-Identifier: MIT */
/*
 * CPU time that no sample stands for.
 *
 * The kernel checks CPU timers at its ticks only, 4 ms apart on most machines.
 * A thread that ends between two ticks would lose the time since the last one,
 * which is most of the time of a thread that lives a few milliseconds.
 * Therefore each tick's sample stands for all CPU time since the thread's last
 * sample, unless the thread has an event (events.h). When the thread or the
 * recording ends, the rest is added at the context of one of the thread's
 * samples. Each sample is chosen with a probability that is proportional to its
 * time, so the expected time of each context is right. The time of a thread
 * without samples is recorded as WIRE_WAIT_UNSAMPLED.
 */
#ifndef CLEW_TIME_UNSAMPLED_H
#define CLEW_TIME_UNSAMPLED_H

#include <stdint.h>

#include "preload/hot/tally.h"
#include "preload/record/tallies.h"

/* Called when a thread begins to count in this tally. */
void unsampled_begin(struct tally *tally);

/*
 * Returns the CPU time that the tally's owner has used since it got the tally
 * and that no sample stands for; 0 if the owner has exited. Any thread may call
 * this function, unless a system call filter denies system calls.
 */
uint64_t unsampled_ns(const struct tally *tally);

/*
 * Returns weight_ns, or the time that no sample stands for yet if that is less,
 * so that a thread's samples never exceed its CPU time. Called in signal
 * handlers of the tally's thread.
 */
uint64_t unsampled_at_most(const struct tally *tally, uint64_t weight_ns);

/*
 * Notes that a sample was recorded. Called in signal handlers of the tally's
 * thread.
 */
void unsampled_note(struct tally *tally, uint64_t id, uint64_t where,
		    uint64_t weight_ns);

/*
 * Notes that another thread has recorded samples of the tally's thread for this
 * much CPU time.
 */
void unsampled_note_others(struct tally *tally, uint64_t weight_ns);

/* Records the rest of the calling thread's time when it ends. */
void unsampled_end_thread(void);

/*
 * Records the rest of each thread's time when recording ends. Any thread may
 * call this function, unless a system call filter denies system calls.
 */
void unsampled_end_all(struct tallies *tallies);

#endif
