/* SPDX-License-Identifier: MIT */
/*
 * Tallies for threads that exist when clew attaches.
 *
 * A thread that only waits never makes a hooked call and uses no CPU time, so
 * clew's code never runs in it. The watch observes such threads from outside
 * (visits.h) and needs a tally for the results. Therefore, with --time=wall,
 * the watch creates a tally for each thread that has none, with the contexts
 * that the thread was in when clew attached. The thread uses this tally when it
 * needs one. With --time=cpu the first tick of a thread's timer gives the
 * thread a tally; other threads that have used CPU time get one at the end.
 */
#ifndef CLEW_TIME_EARLY_TALLIES_H
#define CLEW_TIME_EARLY_TALLIES_H

/*
 * Creates a tally for each thread of early_timers.h that has none and still
 * exists. Only the watch may call this function, which uses thread-local
 * variables of the caller as its own scratch memory.
 */
void early_tallies_make(void);

/*
 * Called when recording ends. Creates a tally for each of these threads that
 * has none, still exists, and has used at least 1 ms of CPU time, for example
 * with all signals blocked. The thread's time is then recorded as time without
 * samples (unsampled.h). Any thread may call this function, unless a system
 * call filter denies system calls.
 */
void early_tallies_note_rest(void);

#endif
