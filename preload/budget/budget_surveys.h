/* SPDX-License-Identifier: MIT */
/*
 * When surveys begin, in which all functions are hooked for a moment.
 *
 * Surveys may use 1/BUDGET_OWN_PART of the budget. A process that started
 * recently has more of them, so that the estimates of a short run use several
 * surveys: these may take half of the budget.
 */
#ifndef CLEW_BUDGET_BUDGET_SURVEYS_H
#define CLEW_BUDGET_BUDGET_SURVEYS_H

#include <stdint.h>

/* Polling and surveys may each use this part of the budget. */
#define BUDGET_OWN_PART 10

/* minimum and maximum of the time between two surveys, in ns */
#define BUDGET_SURVEY_LEAST 1e9
#define BUDGET_SURVEY_MOST  6e10

/*
 * Returns the time until a survey in which clew uses cost_ns of CPU time, so
 * that surveys use no more than their part of a budget of `budget` thousandths.
 */
double budget_surveys_wait_ns(uint32_t budget, double cost_ns);

/*
 * Returns the time until the next survey in a process of this age, at most
 * wait_ns.
 */
double budget_surveys_early_ns(double wait_ns, double age_ns);

#endif
