/* SPDX-License-Identifier: MIT */
/*
 * Estimates the missed calls of a function while it was unhooked, from its call
 * rates before and after.
 *
 * Rates are for each second of CPU time that the program itself used, and not
 * of the wall clock: a program that sleeps or waits for a processor makes no
 * calls. A program that is counted is also slower than one that is not, often
 * by a half, which the program's own time excludes.
 */
#ifndef CLEW_BUDGET_BUDGET_MISSED_H
#define CLEW_BUDGET_BUDGET_MISSED_H

#include "wire/counts.h"

/* Calls of a function in a period of the program's CPU time. */
struct budget_rate {
	uint64_t calls, cpu_ns;
	/* from a survey, not chosen because there were many calls */
	int is_fair;
	/* clew's share was measured in the program, not in a loop */
	int is_sure;
};

/* The periods without its hook since the last sure survey. */
struct budget_missed {
	uint64_t before; /* missed calls of the periods before these */
	uint64_t cpu_ns; /* the program's CPU time in these */
	int fair_begin;  /* the rate before them is fair */
	int is_unsure;   /* their last survey was not sure */
};

/* Begins a period without the hook; `rate` is that before it. */
void budget_missed_begin(struct wire_left_out *record,
			 struct budget_missed *missed,
			 const struct budget_rate *rate, uint64_t wall_ns);

/* Adds cpu_ns of the program without the hook. */
void budget_missed_go_on(struct wire_left_out *record,
			 struct budget_missed *missed, uint64_t cpu_ns);

/* Ends a period, if there is one. */
void budget_missed_end(struct wire_left_out *record, uint64_t wall_ns);

/*
 * Corrects the estimate of a period by the rate in the survey after it: uses
 * that rate, or the mean of before and after if both are fair. Called once
 * after each period. If the survey is not sure, the next one corrects this
 * period as well: see budget_pace.h.
 */
void budget_missed_correct(struct wire_left_out *record,
			   struct budget_missed *missed,
			   const struct budget_rate *after);

#endif
