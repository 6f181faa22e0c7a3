/* SPDX-License-Identifier: MIT */
/*
 * Measures how long calls run: from a probe at the function's entry to another
 * probe where it returns (expression/probe_action.h, `start` and `slower`).
 *
 * A call's key consists of the stopwatch's name and the stack slot of the
 * return address. The slot is the same at both ends, and normally belongs to no
 * other call in between. The table has room for a few thousand active calls. A
 * call that ends by longjmp() or an exception occupies its entry until the next
 * call with the same key, or until other calls need the entry.
 *
 * A function that makes a tail call counts as active until the called function
 * returns. Its time continues under the name of the probe that waits for the
 * return (probe_actions.c).
 */
#ifndef CLEW_PROBE_PROBE_STOPWATCHES_H
#define CLEW_PROBE_PROBE_STOPWATCHES_H

#include <stdint.h>

/*
 * Starts a stopwatch. Any thread and any signal handler may call this and the
 * next function.
 */
void stopwatch_start(uint64_t name, uint64_t sp, uint64_t tsc);

/* Removes a stopwatch. Returns its start, or 0 if it is unknown. */
uint64_t stopwatch_stop(uint64_t name, uint64_t sp);

/*
 * Returns whether `ticks` are at least `ns` nanoseconds, by the rate that the
 * process's clocks show.
 */
int stopwatch_is_over(uint64_t ticks, uint64_t ns);

#endif
