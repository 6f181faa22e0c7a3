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
	uint32_t function; /* number of the function; 0 if the slot is free */
	/* number of contexts directly below the function's contexts */
	uint32_t callees;
	/* The latest counts; found_* are sums while counting. */
	uint64_t calls, contexts;
	uint64_t found_calls, found_contexts;
	uint32_t found_callees;
	/* Increases since the previous count. */
	uint64_t new_calls, new_contexts;
	uint64_t cost_ns; /* estimated cost of the new calls */
	/*
	 * Calls and CPU time while the function was hooked: [0] while others
	 * were unhooked, [1] while none was (budget_pace.h).
	 */
	uint64_t paced_calls[2], paced_ns[2];
	uint8_t may_change; /* whether the function can be unhooked */
	uint8_t is_trap;    /* the function's hook is a breakpoint */
	uint8_t is_out;     /* the function is unhooked */
	uint8_t is_chosen;  /* the function is about to be unhooked or hooked */
	uint8_t was_in;  /* the function was hooked when this interval began */
	uint8_t is_back; /* the function is hooked for this survey only */
	/* This process has unhooked the function because of its cost. */
	uint8_t was_too_costly;
	/*
	 * Cost of the function's calls in a second, in ns, before it was
	 * unhooked. Less after each survey in which the calls cost less.
	 */
	uint64_t out_cost;
	/*
	 * Calls in a second of the program's CPU time in earlier processes, if
	 * they unhooked the function; 0 afterwards (budget_learnt.h).
	 */
	uint64_t recalled_per_s;
	struct wire_left_out *record; /* the function's record, or NULL */
	/* data from which its record is computed */
	struct budget_missed missed;
};

struct budget_functions {
	struct budget_function *slots;
	uint32_t room; /* a power of two */
	uint32_t count;
	uint32_t *order; /* array of `room` indices of slots */
};

/*
 * Reads all counts. Returns 0; -EAGAIN if they could not be read now, with only
 * new functions added; or -ENOMEM.
 */
int budget_functions_count(struct budget_functions *functions);

/*
 * Counts the contexts directly below those of each function. Returns the same
 * values as budget_functions_count(), but takes longer.
 */
int budget_functions_find_callees(struct budget_functions *functions);

/* Returns the slot of a function, or NULL. */
struct budget_function *budget_functions_find(
	const struct budget_functions *functions, uint32_t function);

/*
 * Returns the slot of a function, which is added if necessary; NULL: no memory.
 */
struct budget_function *budget_functions_add(struct budget_functions *functions,
					     uint32_t function);

/*
 * Begins an interval: notes which functions are hooked. Returns whether some
 * are unhooked.
 */
int budget_functions_begin_interval(struct budget_functions *functions);

/* Discards counts of another process. */
void budget_functions_restart(struct budget_functions *functions);

/*
 * Sorts the functions that may be unhooked and cost more than least_ns by their
 * cost in relation to their information. Stores the indices of their slots in
 * `order`, the most expensive first. Returns their number.
 */
uint32_t budget_functions_sort(struct budget_functions *functions,
			       uint64_t least_ns);

#endif
