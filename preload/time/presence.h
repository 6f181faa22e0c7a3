/* SPDX-License-Identifier: MIT */
/*
 * How much of the time that threads are there they run.
 *
 * --time=exact measures by the time stamp counter, which goes on while a thread
 * waits or has no processor. The kernel knows each thread's CPU time, but to ask
 * it at both ends of a call would cost more than the call. So what is known is
 * the sum: each tally says how long its threads were there, and what of this
 * they ran. Both are noted together, at the process's end and when a call ends that
 * took 0.3 ms or more and that the stub leaves to C, being the first or the longest
 * of its context, say, as a thread's outermost call is: a killed process has them
 * as they were then.
 */
#ifndef CLEW_TIME_PRESENCE_H
#define CLEW_TIME_PRESENCE_H

#include "preload/hot/tally.h"
#include "preload/record/tallies.h"

/* The calling thread is the tally's owner from now on. Under the lock. */
void presence_begin(struct tally *tally);

/* Note it for all threads that there still are, at the process's end. */
void presence_note_all(struct tallies *tallies);

#endif
