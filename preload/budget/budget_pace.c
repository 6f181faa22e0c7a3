/* SPDX-License-Identifier: MIT */
/* See budget_pace.h. */
#include "preload/budget/budget_pace.h"

#define LEAST_CALLS 2000 /* fewer calls are not significant */
/*
 * weight of the price that the loop at the start has measured, as time in
 * clew's code
 */
#define LOOP_NS 2e6
/* The loop's price may account for at most this part of full_ns. */
#define LOOP_PART 0.5
#define MOST_PART 0.9 /* clew's part of full_ns is taken to be at most this */

int budget_pace_is_mixed(const struct budget_functions *functions)
{
	for (uint32_t i = 0; i < functions->room; i++) {
		const struct budget_function *slot = &functions->slots[i];

		if (slot->new_calls &&
		    (slot->is_out || (slot->record && !slot->was_in)))
			return 1;
	}
	return 0;
}

void budget_pace_go_on(struct budget_pace *pace,
		       struct budget_functions *functions, int is_full,
		       uint64_t cpu_ns)
{
	double calls = 0;

	if (!is_full && budget_pace_is_mixed(functions))
		return;
	for (uint32_t i = 0; i < functions->room; i++) {
		struct budget_function *slot = &functions->slots[i];

		calls += (double)slot->new_calls;
		if (!slot->was_in)
			continue;
		slot->paced_calls[is_full] += slot->new_calls;
		slot->paced_ns[is_full] += cpu_ns;
	}
	if (is_full) {
		pace->full_ns += (double)cpu_ns;
		pace->full_calls += calls;
	}
}

/* Returns the program's share of full_ns; 0 if it is unknown. */
static double program_part(const struct budget_functions *functions)
{
	double between = 0, made = 0, expected = 0;

	for (uint32_t i = 0; i < functions->room; i++) {
		const struct budget_function *slot = &functions->slots[i];

		if (!slot->paced_ns[0] || !slot->paced_ns[1])
			continue;
		between += (double)slot->paced_calls[0];
		made += (double)slot->paced_calls[1];
		expected += (double)slot->paced_calls[0] /
			    (double)slot->paced_ns[0] *
			    (double)slot->paced_ns[1];
	}
	return between < LEAST_CALLS || made < LEAST_CALLS ? 0
							   : made / expected;
}

int budget_pace_is_known(const struct budget_functions *functions)
{
	return program_part(functions) > 0;
}

static double within(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

/*
 * Returns the loop's price of a call, limited so that the calls take at most
 * half of the time.
 */
static double loop_ps(const struct budget_pace *pace)
{
	const double most_ps =
		LOOP_PART * pace->full_ns * 1000 / pace->full_calls;

	return pace->full_calls > 0 && most_ps < pace->measured_ps
		       ? most_ps
		       : pace->measured_ps;
}

double budget_pace_call_ps(const struct budget_pace *pace,
			   const struct budget_functions *functions)
{
	const double part = program_part(functions);
	const double price_ps = loop_ps(pace);
	double lost_ns;

	if (part <= 0 || price_ps <= 0)
		return price_ps;
	lost_ns = pace->full_ns * within(1 - part, 0, MOST_PART);
	return (LOOP_NS + lost_ns) * 1000 /
	       (LOOP_NS * 1000 / price_ps + pace->full_calls);
}
