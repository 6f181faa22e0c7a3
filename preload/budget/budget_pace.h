/* SPDX-License-Identifier: MIT */
/*
 * Computes the cost of a call while all functions are hooked, from the slowdown
 * of the program.
 *
 * Functions that are always hooked measure the slowdown. They are counted while
 * everything is hooked, as in a survey, and while other functions are unhooked.
 * If such a function is called half as often in a second of CPU time of a
 * survey, then the other half of that second was clew's. The ratio holds on
 * every CPU. The loop at the start, in contrast, measures one pattern of calls:
 * a function that waits for memory or for a locked instruction hides the cost
 * of its stub, and a program with many functions pays several times as much.
 *
 * A survey is short and covers few of the program's phases. All surveys are
 * added up, and the loop's price is included with a weight of LOOP_NS of time
 * in clew's code. That price is limited so that clew takes at most half of the
 * time: if no function has stayed hooked, the estimate is wrong by at most a
 * factor of two as long as clew takes no more than three quarters of the time.
 */
#ifndef CLEW_BUDGET_BUDGET_PACE_H
#define CLEW_BUDGET_BUDGET_PACE_H

#include "preload/budget/budget_functions.h"

struct budget_pace {
	double measured_ps; /* cost of a call in the loop */
	double full_ns;    /* CPU time while all was hooked, including clew's */
	double full_calls; /* calls in that time */
};

/*
 * Returns whether some function that was called was hooked in only a part of
 * the interval.
 */
int budget_pace_is_mixed(const struct budget_functions *functions);

/*
 * Adds an interval of cpu_ns to the functions that were hooked during the whole
 * interval. If is_full, all functions were hooked, and cpu_ns includes clew's
 * share. Otherwise cpu_ns is the program's own share, and an interval in which
 * a function was hooked for a part of the time is skipped.
 */
void budget_pace_go_on(struct budget_pace *pace,
		       struct budget_functions *functions, int is_full,
		       uint64_t cpu_ns);

/*
 * Returns whether functions that were hooked both in surveys and between them
 * were called often enough to compute the slowdown.
 */
int budget_pace_is_known(const struct budget_functions *functions);

/* Returns the cost of a call while all functions are hooked, in ps. */
double budget_pace_call_ps(const struct budget_pace *pace,
			   const struct budget_functions *functions);

#endif
