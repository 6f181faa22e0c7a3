/* SPDX-License-Identifier: MIT */
/*
 * The functions that a process calls, with the data to decide whether counting
 * them is worth its cost (budget.h).
 *
 * Used by clew's own thread while other threads count: a count table may be
 * replaced while it is read, and then the values are discarded.
 */
#ifndef CLEW_BUDGET_BUDGET_FUNCTIONS_H
#define CLEW_BUDGET_BUDGET_FUNCTIONS_H

#include <stdint.h>

#include "preload/budget/budget_missed.h"
#include "wire/recording.h"

struct budget_function {
	uint32_t function; /* its number; 0: the slot is free */
	uint32_t callees;  /* contexts directly below its own */
	/* The latest counts, and sums while counting. */
	uint64_t calls, contexts;
	uint64_t found_calls, found_contexts;
	uint32_t found_callees;
	/* Since the previous count. */
	uint64_t new_calls, new_contexts;
	uint64_t cost_ns;
	/*
	 * While it was hooked: other functions were unhooked, or none
	 * (budget_pace.h).
	 */
	uint64_t paced_calls[2], paced_ns[2];
	uint8_t may_change; /* it can be unhooked */
	uint8_t is_trap;
	uint8_t is_out;    /* it is unhooked */
	uint8_t is_chosen; /* it is about to be unhooked or hooked */
	uint8_t was_in;    /* it was hooked when this interval began */
	/* Cost in each second, in ns, before it was unhooked. */
	uint64_t out_cost;
	struct wire_left_out *record; /* or NULL */
	struct budget_missed missed;  /* data for its record */
};

struct budget_functions {
	struct budget_function *slots;
	uint32_t room; /* a power of two */
	uint32_t count;
	uint32_t *order; /* room for as many indices of slots */
};

/*
 * Reads all counts. Returns 0; -EAGAIN if they could not be read now, with only
 * new functions added; or -ENOMEM.
 */
int budget_functions_count(struct budget_functions *functions);

/*
 * Counts the contexts directly below those of each function. Returns as above;
 * this takes longer.
 */
int budget_functions_find_callees(struct budget_functions *functions);

/* Returns the slot of a function, or NULL. */
struct budget_function *budget_functions_find(
	const struct budget_functions *functions, uint32_t function);

/*
 * Begins an interval: notes which functions are hooked. Returns whether some
 * are unhooked.
 */
int budget_functions_begin_interval(struct budget_functions *functions);

/* Discards counts of another process. */
void budget_functions_restart(struct budget_functions *functions);

/*
 * Sorts the functions that may be unhooked and cost more than least_ns by their
 * cost for their information: indices of slots in `order`, the most expensive
 * first. Returns their number.
 */
uint32_t budget_functions_sort(struct budget_functions *functions,
			       uint64_t least_ns);

#endif
