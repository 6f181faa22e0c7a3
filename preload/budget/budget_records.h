/* SPDX-License-Identifier: MIT */
/*
 * The recording's data about unhooked functions: a record of each (struct
 * wire_left_out). For clew's own thread.
 */
#ifndef CLEW_BUDGET_BUDGET_RECORDS_H
#define CLEW_BUDGET_BUDGET_RECORDS_H

#include "preload/budget/budget_functions.h"

/* The recording belongs to another process now. */
void budget_records_forget(void);

/* Assigns existing records of the recording to these functions. */
void budget_records_take_up(struct budget_functions *functions);

/*
 * Records that a function is about to be unhooked: before the change, so that
 * no count looks exact. Returns 0 or -errno.
 */
int budget_records_out(struct budget_function *slot,
		       const struct budget_rate *rate, uint64_t wall_ns);

/* Records the functions that are hooked again, for any reason. */
void budget_records_in(const struct budget_functions *functions);

/* Adds a period of the program's time. */
void budget_records_go_on(const struct budget_functions *functions,
			  uint64_t program_ns);

/*
 * Corrects the records of functions that are hooked again, which were called as
 * counted last, in a survey with program_ns of the program's own time; is_sure
 * as in struct budget_rate.
 */
void budget_records_correct(const struct budget_functions *functions,
			    uint64_t program_ns, int is_sure);

/*
 * Records that no function is unhooked any more, after rest_ns without a poll.
 * Any thread.
 */
void budget_records_end(uint64_t rest_ns);

#endif
