/* SPDX-License-Identifier: MIT */
/*
 * The time of calls that end in other ways than by returning (hot/timing.h):
 * those of the calling thread that are open are found by walking its shadow.
 * For processes whose calls are timed.
 */
#ifndef CLEW_STACK_TIMES_H
#define CLEW_STACK_TIMES_H

#include <stdint.h>

/* All calls of the calling thread that are open end now. */
void times_end_open(void);

/*
 * The calling thread goes on on another stack: what those that it leaves have
 * taken so far is theirs, and no matter of what runs there.
 */
void times_leave_stack(uint64_t now);

/* They begin now: the process is a new one. */
void times_begin_anew(void);

#endif
