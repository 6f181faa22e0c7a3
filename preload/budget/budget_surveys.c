/* SPDX-License-Identifier: MIT */
/* See budget_surveys.h. */
#include "preload/budget/budget_surveys.h"

/*
 * Time between two surveys in a young process: this part of its age, but at
 * least EARLY_LEAST, in ns.
 */
#define EARLY_AGE   .5
#define EARLY_LEAST 4e7

#define MIN(a, b)   ((a) < (b) ? (a) : (b))
#define MAX(a, b)   ((a) > (b) ? (a) : (b))

double budget_surveys_wait_ns(uint32_t budget, double cost_ns)
{
	const double part = (double)budget / 1000 / BUDGET_OWN_PART;

	return MAX(MIN(cost_ns / part, BUDGET_SURVEY_MOST),
		   BUDGET_SURVEY_LEAST);
}

double budget_surveys_early_ns(double wait_ns, double age_ns)
{
	const double early_ns = MAX(MAX(age_ns * EARLY_AGE, EARLY_LEAST),
				    wait_ns * 2 / BUDGET_OWN_PART);

	return MIN(wait_ns, early_ns);
}
