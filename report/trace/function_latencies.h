/* SPDX-License-Identifier: MIT */
/* Distributions of call durations in a trace, by function. */
#ifndef CLEW_TRACE_FUNCTION_LATENCIES_H
#define CLEW_TRACE_FUNCTION_LATENCIES_H

#include "report/trace/function_calls.h"
#include "report/trace/latencies.h"

/* Distributions of the lower and the upper bounds of durations. */
struct call_latencies {
	const char *name; /* name, which is not owned */
	uint32_t function;
	struct latencies least, most;
	uint64_t unknown; /* number of calls whose duration is unknown */
};

void call_latencies_add(struct call_latencies *latencies,
			const struct function_call *call);

/*
 * One distribution for each chosen function that was called, sorted by the sum
 * of the upper bounds of durations, descending.
 */
struct function_latencies {
	/*
	 * Indexed by function of the catalog. NULL if the function was not
	 * chosen or not called.
	 */
	struct call_latencies **items;
	size_t room;
	struct call_latencies **sorted;
	size_t count;
};

/*
 * Finds the distributions of the functions for which chosen[function] is not 0.
 * Functions are indices in the catalog.
 */
void function_latencies_find(struct function_latencies *all,
			     const struct traces *traces,
			     const struct trace_window *window,
			     const uint8_t *chosen);
void function_latencies_fini(struct function_latencies *all);

#endif
