/* SPDX-License-Identifier: MIT */
/*
 * CPU time that no sample stands for.
 *
 * The kernel checks CPU timers at its ticks only, 4 ms apart on most machines. A
 * thread that ends between two ticks would lose the time since the last one,
 * which is most of the time of a thread that lives a few milliseconds. So each
 * tick's sample stands for all CPU time since the thread's last sample, and at
 * the thread's end, or when recording ends, the rest is recorded: in the place of
 * one of the thread's samples. Each sample is chosen with a probability that is
 * proportional to its time, so the expected time of each context is right. The
 * time of a thread without any sample is recorded as WIRE_WAIT_UNSAMPLED.
 */
#ifndef CLEW_TIME_UNSAMPLED_H
#define CLEW_TIME_UNSAMPLED_H

#include <stdint.h>

#include "preload/hot/tally.h"
#include "preload/record/tallies.h"

/* The calling thread counts in this tally from now on. */
void unsampled_begin(struct tally *tally);

/*
 * The CPU time of the tally's owner, since that came, that no sample stands for.
 * 0 if the owner has ended. Any thread that may make system calls.
 */
uint64_t unsampled_ns(const struct tally *tally);

/*
 * Returns weight_ns, or the time that no sample stands for yet if that is less, so
 * that a thread's samples never exceed its CPU time. In the owner's handlers.
 */
uint64_t unsampled_at_most(const struct tally *tally, uint64_t weight_ns);

/* A sample was recorded: of this time, and there. In the owner's handlers. */
void unsampled_note(struct tally *tally, uint64_t id, uint64_t where,
		    uint64_t weight_ns);

/* So much of the owner's CPU time is in samples that were not taken by the owner. */
void unsampled_note_others(struct tally *tally, uint64_t weight_ns);

/* The calling thread ends: records the rest of its time. */
void unsampled_end_thread(void);

/*
 * Recording ends: records the rest of each thread's time. Any thread that may make
 * system calls.
 */
void unsampled_end_all(struct tallies *tallies);

#endif
