/* SPDX-License-Identifier: MIT */
/*
 * For how long calls have run: from one probe, where a function begins, to another, where it
 * returns (expression/probe_action.h, `start` and `slower`).
 *
 * A call is told from all others by its key: the time's name and where its return address is
 * stored, which is the same at both ends, and nobody else's in between. There is a place for
 * a few thousand calls at once; a call that is left in other ways (longjmp, an exception)
 * keeps its place until the next one there, or until others need it.
 *
 * A function that ends with a jump to another one is still active until that one returns: its time
 * goes on then, under the name of what waits for the return (probe_actions.c).
 */
#ifndef CLEW_PROBE_PROBE_STOPWATCHES_H
#define CLEW_PROBE_PROBE_STOPWATCHES_H

#include <stdint.h>

/* Any thread, signals. */
void stopwatch_start(uint64_t name, uint64_t sp, uint64_t tsc);

/* Its start, which is forgotten; 0: nobody knows. Likewise. */
uint64_t stopwatch_stop(uint64_t name, uint64_t sp);

/* Whether so many ticks are as much as that or more, by the process's clocks. */
int stopwatch_is_over(uint64_t ticks, uint64_t ns);

#endif
