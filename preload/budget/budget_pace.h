/* SPDX-License-Identifier: MIT */
/*
 * What a call costs in a survey of a budget, where all calls are counted: by how much
 * slower the program goes meanwhile.
 *
 * Its pace is that of the functions that have never been left out, which count in
 * surveys and between them. Where they are called half as often in a second of CPU
 * time, the other half is clew's. That needs neither samples, of which a survey has
 * one or two, nor a loop of calls at the start, which knows nothing of what clew
 * displaces from the caches, and which a neighbour on the machine makes slower.
 *
 * A survey sees few of the program's phases: so it goes by all surveys so far, and
 * what the loop said counts as much as some four of them.
 */
#ifndef CLEW_PRELOAD_BUDGET_PACE_H
#define CLEW_PRELOAD_BUDGET_PACE_H

#include "preload/budget/budget_functions.h"

struct budget_pace {
	double measured_ps; /* a call, as a loop says */
	double between_ns;  /* CPU time of the program alone, between surveys */
	double survey_ns;   /* the program's and clew's, in surveys */
	double survey_calls;
};

/* All functions' latest counts are of so much CPU time; of a survey, or between. */
void budget_pace_go_on(struct budget_pace *pace,
		       struct budget_functions *functions, int is_survey,
		       uint64_t cpu_ns);

/* What a call in surveys costs. */
double budget_pace_call_ps(const struct budget_pace *pace,
			   const struct budget_functions *functions);

#endif
