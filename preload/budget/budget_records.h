/* SPDX-License-Identifier: MIT */
/*
 * What the recording says of functions that a budget leaves out: a record of each
 * (struct wire_left_out). For clew's own thread.
 */
#ifndef CLEW_BUDGET_BUDGET_RECORDS_H
#define CLEW_BUDGET_BUDGET_RECORDS_H

#include "preload/budget/budget_functions.h"

/* The recording is another process's. */
void budget_records_forget(void);

/* Those that the recording has already are these functions'. */
void budget_records_take_up(struct budget_functions *functions);

/* It is about to be left out: said first, so that no count looks exact. 0 or -errno. */
int budget_records_out(struct budget_function *slot,
		       const struct budget_rate *rate, uint64_t wall_ns);

/* Whatever came back, by whomever. */
void budget_records_in(const struct budget_functions *functions);

/* The program went on for so long. */
void budget_records_go_on(const struct budget_functions *functions,
			  uint64_t program_ns);

/*
 * Functions that came back were called as counted last, in a survey of which program_ns
 * were the program's own; is_sure as in struct budget_rate.
 */
void budget_records_correct(const struct budget_functions *functions,
			    uint64_t program_ns, int is_sure);

/* Nothing is left out any more, nobody looked for so long. By any thread. */
void budget_records_end(uint64_t rest_ns);

#endif
