/* SPDX-License-Identifier: MIT */
/*
 * Tallies for threads that exist when clew attaches.
 *
 * A thread that only waits never makes a hooked call and uses no CPU time, so no
 * code of clew ever runs in it. The watch looks at such threads from outside
 * (visits.h) and needs a tally for what it sees. So with --time=wall it makes one for each
 * thread that has none, with the contexts that the thread was in when clew
 * attached. The thread takes it over when it needs a tally. With --time=cpu the
 * first tick of a thread's timer gives it a tally; other threads get one at the end.
 */
#ifndef CLEW_TIME_EARLY_TALLIES_H
#define CLEW_TIME_EARLY_TALLIES_H

/*
 * Makes a tally for each thread of early_timers.h that has none. In the watch's
 * task only, whose own thread-local variables it uses.
 */
void early_tallies_make(void);

/*
 * Recording ends: makes a tally for each of these threads that has none and has used
 * CPU time, for example with all signals blocked, so that its time is recorded as
 * time without samples (unsampled.h). Any thread that may make system calls.
 */
void early_tallies_note_rest(void);

#endif
