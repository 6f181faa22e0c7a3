/* SPDX-License-Identifier: MIT */
/*
 * What a call costs while all functions are counted: by how much slower the program
 * runs then.
 *
 * Functions that stay hooked are the clock. Each is counted while everything is
 * hooked, as in a survey, and while other functions are left out. If such a function is
 * called half as often in a second of CPU time of a survey, then the other half of that
 * second was clew's. The ratio holds on every CPU, whereas the loop at the start
 * measures one pattern of calls: a function that waits for memory or for a locked
 * instruction hides the cost of its stub, and a program with many functions pays
 * several times as much.
 *
 * A survey is short and meets few of the program's phases. All surveys are added up,
 * and the loop's price is weighed in with LOOP_NS of time in clew's code. That price
 * is cut so that clew takes at most half of the time: if no function has stayed
 * hooked, the estimate is wrong by at most a factor of two as long as clew takes no
 * more than three quarters of the time.
 */
#ifndef CLEW_BUDGET_BUDGET_PACE_H
#define CLEW_BUDGET_BUDGET_PACE_H

#include "preload/budget/budget_functions.h"

struct budget_pace {
	double measured_ps; /* cost of a call, as the loop measured it */
	double full_ns;     /* CPU time while all was hooked, clew's included */
	double full_calls;  /* calls in that time */
};

/*
 * Adds one interval of cpu_ns to the functions that were hooked throughout. If
 * is_full, all functions were hooked, and cpu_ns includes clew's share; otherwise
 * cpu_ns is the program's own share, and an interval in which a function was hooked
 * for a part of the time is passed over.
 */
void budget_pace_go_on(struct budget_pace *pace,
		       struct budget_functions *functions, int is_full,
		       uint64_t cpu_ns);

/* Whether some function has stayed hooked, and was called often enough. */
int budget_pace_is_known(const struct budget_functions *functions);

/* Returns the cost of a call while all functions are hooked, in ps. */
double budget_pace_call_ps(const struct budget_pace *pace,
			   const struct budget_functions *functions);

#endif
