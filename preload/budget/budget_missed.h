/* SPDX-License-Identifier: MIT */
/*
 * Estimates how many calls of a function were missed while it was unhooked,
 * from its call rates before and after.
 *
 * Rates are for each second of CPU time that the program itself used, and not
 * of the wall clock: a program that sleeps or waits for a processor makes no
 * calls. Counting also slows a program down, often by a half. The program's own
 * CPU time excludes that.
 */
#ifndef CLEW_BUDGET_BUDGET_MISSED_H
#define CLEW_BUDGET_BUDGET_MISSED_H

#include "wire/counts.h"

/* Calls of a function in a period of the program's CPU time. */
struct budget_rate {
	uint64_t calls, cpu_ns;
	/*
	 * measured in a survey, and not in an interval that was chosen because
	 * it had many calls
	 */
	int is_fair;
	/*
	 * clew's share of the time was measured in the program (budget_pace.h)
	 * and not in a loop
	 */
	int is_sure;
};

/* The missed calls of a function, and its last period without the hook. */
struct budget_missed {
	uint64_t before; /* missed calls in earlier periods */
	/* In earlier periods whose surveys were not sure. */
	uint64_t unsure;
	uint64_t cpu_ns; /* the program's CPU time in the last period */
	/* whether the rate before that period is fair (struct budget_rate) */
	int fair_begin;
};

/* Begins a period without the hook. `rate` is the rate before it. */
void budget_missed_begin(struct wire_left_out *record,
			 struct budget_missed *missed,
			 const struct budget_rate *rate, uint64_t wall_ns);

/* Adds CPU time of the program to a period without the hook. */
void budget_missed_go_on(struct wire_left_out *record,
			 struct budget_missed *missed, uint64_t cpu_ns);

/* Ends the present period without the hook, if there is one. */
void budget_missed_end(struct wire_left_out *record, uint64_t wall_ns);

/*
 * Corrects the estimate of a period by the rate that was measured after it,
 * when the hook was there again. Uses that rate, or the mean of the rates
 * before and after if both are fair. Called once after each period. If the rate
 * is not sure, budget_missed_settle() corrects this estimate later.
 */
void budget_missed_correct(struct wire_left_out *record,
			   struct budget_missed *missed,
			   const struct budget_rate *after);

/*
 * Multiplies the missed calls of all periods whose surveys were not sure by a
 * factor, when clew's share is known (budget_pace.h).
 */
void budget_missed_settle(struct wire_left_out *record,
			  struct budget_missed *missed, double factor);

#endif
