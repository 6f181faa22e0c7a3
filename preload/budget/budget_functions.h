/* SPDX-License-Identifier: MIT */
/*
 * The functions that a process calls, with what is to be known of each to decide
 * whether counting it is worth what that costs (budget.h).
 *
 * Used by clew's own thread, from outside of those that count: a table of counts
 * may be exchanged while it is read, and then nothing is believed of what was read.
 */
#ifndef CLEW_BUDGET_BUDGET_FUNCTIONS_H
#define CLEW_BUDGET_BUDGET_FUNCTIONS_H

#include <stdint.h>

#include "preload/budget/budget_missed.h"
#include "wire/recording.h"

struct budget_function {
	uint32_t function; /* its number; 0: the slot is free */
	uint32_t callees;  /* contexts right below its own */
	/* As they were counted last; and while they are counted. */
	uint64_t calls, contexts;
	uint64_t found_calls, found_contexts;
	uint32_t found_callees;
	/* Since the time before. */
	uint64_t new_calls, new_contexts;
	uint64_t cost_ns;
	/* While it was hooked: others were left out, or none (budget_pace.h). */
	uint64_t paced_calls[2], paced_ns[2];
	uint8_t may_change; /* it can be left out */
	uint8_t is_trap;
	uint8_t is_out;    /* it is left out */
	uint8_t is_chosen; /* is about to be, or to come back */
	uint8_t was_in;    /* it was hooked when this interval began */
	uint64_t out_cost; /* when it was left out: of a second, in ns */
	struct wire_left_out *record; /* or NULL */
	struct budget_missed missed;  /* of its record */
};

struct budget_functions {
	struct budget_function *slots;
	uint32_t room; /* a power of two */
	uint32_t count;
	uint32_t *order; /* room for as many numbers of slots */
};

/*
 * Look at all counts. 0; -EAGAIN if they were not to be read just now, with
 * nothing changed but functions that are new; or -ENOMEM.
 */
int budget_functions_count(struct budget_functions *functions);

/* How many contexts are right below those of each, likewise: this takes longer. */
int budget_functions_find_callees(struct budget_functions *functions);

/* The slot of a function, or NULL. */
struct budget_function *budget_functions_find(
	const struct budget_functions *functions, uint32_t function);

/*
 * Begins an interval: notes which functions are hooked. Returns whether some are left
 * out.
 */
int budget_functions_begin_interval(struct budget_functions *functions);

/* What was counted was another process's. */
void budget_functions_restart(struct budget_functions *functions);

/*
 * Those that may be left out, and cost more than that, by what they cost for what
 * they tell: the numbers of their slots in `order`, the dearest first. How many.
 */
uint32_t budget_functions_sort(struct budget_functions *functions,
			       uint64_t least_ns);

#endif
