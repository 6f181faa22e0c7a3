/* SPDX-License-Identifier: MIT */
/*
 * Records how long threads exist, and how much of this time they run.
 *
 * --time=exact measures by the time stamp counter, which also advances while a
 * thread waits or has no processor. The kernel knows each thread's CPU time,
 * but reading it at both ends of a call would cost more than the call.
 * Therefore only sums are recorded: how long the threads of each tally existed,
 * and their CPU time. Both are stored together, when the recording ends, and
 * when a call of 0.3 ms or more ends whose return the stub leaves to C (for
 * example the first or the longest of its context, such as a thread's outermost
 * call). A killed process has the values of the latest such moment.
 */
#ifndef CLEW_TIME_PRESENCE_H
#define CLEW_TIME_PRESENCE_H

#include "preload/hot/tally.h"
#include "preload/record/tallies.h"

/*
 * Notes that the calling thread begins to count in this tally. Called with the
 * tallies' lock held.
 */
void presence_begin(struct tally *tally);

/*
 * Records the existence and the CPU time of all existing threads, when the
 * recording ends.
 */
void presence_note_all(struct tallies *tallies);

#endif
