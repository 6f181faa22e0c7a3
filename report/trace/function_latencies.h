/* SPDX-License-Identifier: MIT */
/* Distributions of call durations in a trace, by function. */
#ifndef CLEW_TRACE_FUNCTION_LATENCIES_H
#define CLEW_TRACE_FUNCTION_LATENCIES_H

#include "report/trace/function_calls.h"
#include "report/trace/latencies.h"

/* Distributions of the lower and the upper bounds of durations. */
struct call_latencies {
	const char *name; /* not owned */
	uint32_t function;
	struct latencies least, most;
	uint64_t unknown; /* calls whose duration is unknown */
};

void call_latencies_add(struct call_latencies *latencies,
			const struct function_call *call);

/*
 * One distribution for each called function, sorted by total time, descending.
 */
struct function_latencies {
	/* Indexed by function of the catalog; NULL: not called. */
	struct call_latencies **items;
	size_t room;
	struct call_latencies **sorted;
	size_t count;
};

/*
 * Only for functions with chosen[function] != 0; the index is that of the
 * catalog.
 */
void function_latencies_find(struct function_latencies *all,
			     const struct traces *traces,
			     const struct trace_window *window,
			     const uint8_t *chosen);
void function_latencies_fini(struct function_latencies *all);

#endif
