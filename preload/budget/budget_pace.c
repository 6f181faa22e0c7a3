/* SPDX-License-Identifier: MIT */
#include "preload/budget/budget_pace.h"

#define LEAST_CALLS 200 /* fewer tell nothing of the pace */
#define LOOP_NS     1e7 /* of calls, that what a loop says counts for */
#define MOST_PART   0.9 /* of surveys that is clew's */

void budget_pace_go_on(struct budget_pace *pace,
		       struct budget_functions *functions, int is_survey,
		       uint64_t cpu_ns)
{
	double calls = 0;

	for (uint32_t i = 0; i < functions->room; i++) {
		struct budget_function *slot = &functions->slots[i];

		slot->paced[is_survey] += slot->new_calls;
		calls += (double)slot->new_calls;
	}
	if (is_survey) {
		pace->survey_ns += (double)cpu_ns;
		pace->survey_calls += calls;
	} else {
		pace->between_ns += (double)cpu_ns;
	}
}

/* The program's own part of surveys; 0: nobody knows. */
static double program_ns(const struct budget_pace *pace,
			 const struct budget_functions *functions)
{
	double calls[2] = { 0, 0 };

	for (uint32_t i = 0; i < functions->room; i++) {
		const struct budget_function *slot = &functions->slots[i];

		for (int k = 0; k < 2 && !slot->record; k++)
			calls[k] += (double)slot->paced[k];
	}
	return calls[0] < LEAST_CALLS || calls[1] < LEAST_CALLS
		       ? 0
		       : pace->between_ns * calls[1] / calls[0];
}

double budget_pace_call_ps(const struct budget_pace *pace,
			   const struct budget_functions *functions)
{
	const double own_ns = program_ns(pace, functions);
	const double loop_calls = LOOP_NS * 1000 / pace->measured_ps;
	double lost_ns = pace->survey_ns - own_ns;

	if (own_ns <= 0)
		return pace->measured_ps;
	if (lost_ns < 0)
		lost_ns = 0;
	if (lost_ns > MOST_PART * pace->survey_ns)
		lost_ns = MOST_PART * pace->survey_ns;
	return (LOOP_NS + lost_ns) * 1000 / (loop_calls + pace->survey_calls);
}
