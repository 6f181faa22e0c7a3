/* SPDX-License-Identifier: MIT */
/*
 * How many calls of a function were missed while it was left out: an estimate, by
 * how often it was called before and after.
 *
 * By the second of CPU time that the program itself used, and not of the wall clock:
 * a program that sleeps, or whose machine has other things to do, calls nothing
 * meanwhile; and one that is counted is slower than one that is not, often by a
 * half, of which the program's own time knows nothing.
 */
#ifndef CLEW_BUDGET_BUDGET_MISSED_H
#define CLEW_BUDGET_BUDGET_MISSED_H

#include "wire/counts.h"

/* Calls of a function in so much CPU time of the program. */
struct budget_rate {
	uint64_t calls, cpu_ns;
	int is_fair; /* of a survey: no moment at which there were many */
	int is_sure; /* clew's share was measured, not taken from a loop */
};

/* Of the times that a function was left out since the last sure survey. */
struct budget_missed {
	uint64_t before; /* missed in the times before these */
	uint64_t cpu_ns; /* the program's, in these */
	int fair_begin;  /* the rate before them is fair */
	int is_unsure;   /* their last survey was not sure */
};

/* It is left out, after it was called so often. */
void budget_missed_begin(struct wire_left_out *record,
			 struct budget_missed *missed,
			 const struct budget_rate *rate, uint64_t wall_ns);

/* The program went on for so long, with the function left out. */
void budget_missed_go_on(struct wire_left_out *record,
			 struct budget_missed *missed, uint64_t cpu_ns);

/* It is counted again, if it was not. */
void budget_missed_end(struct wire_left_out *record, uint64_t wall_ns);

/*
 * After it came back, it was called that often in a survey. The estimate for the time
 * in which it was out uses that rate, or the mean of before and after if both are
 * fair. Called once after each time. If the survey is not sure, the next one corrects
 * this time as well: budget_pace.h says when clew's share of a survey is not known.
 */
void budget_missed_correct(struct wire_left_out *record,
			   struct budget_missed *missed,
			   const struct budget_rate *after);

#endif
