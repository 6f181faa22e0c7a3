/* SPDX-License-Identifier: MIT */
/*
 * The recording's data about unhooked functions: a record of each (struct
 * wire_left_out). Only clew's own thread calls these functions, except
 * budget_records_end().
 */
#ifndef CLEW_BUDGET_BUDGET_RECORDS_H
#define CLEW_BUDGET_BUDGET_RECORDS_H

#include "preload/budget/budget_functions.h"

/*
 * Forgets all records. Called when a session begins, and in a forked child,
 * whose recording is another one.
 */
void budget_records_forget(void);

/* Assigns existing records of the recording to these functions. */
void budget_records_take_up(struct budget_functions *functions);

/*
 * Records that a function is about to be unhooked. Called before the change, so
 * that the function's count is never reported as exact. Returns 0 or -errno.
 */
int budget_records_out(struct budget_function *slot,
		       const struct budget_rate *rate, uint64_t wall_ns);

/* Records which functions are hooked again, for whatever reason. */
void budget_records_in(const struct budget_functions *functions);

/* Adds CPU time of the program to the records of all unhooked functions. */
void budget_records_go_on(const struct budget_functions *functions,
			  uint64_t program_ns);

/*
 * Corrects the records of functions that are hooked again by their latest
 * counts, which are those of a survey with program_ns of the program's own
 * time. is_sure: see struct budget_rate.
 */
void budget_records_correct(const struct budget_functions *functions,
			    uint64_t program_ns, int is_sure);

/*
 * Corrects the records by the surveys that were not sure: their calls per
 * second were too low by this factor.
 */
void budget_records_settle(const struct budget_functions *functions,
			   double factor);

/*
 * Records that no function is unhooked any more. rest_ns is the CPU time since
 * the last poll. Any thread may call this function.
 */
void budget_records_end(uint64_t rest_ns);

#endif
