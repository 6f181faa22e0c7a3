/* SPDX-License-Identifier: MIT */
/* How long the calls of functions in a trace took. */
#ifndef CLEW_TRACE_FUNCTION_LATENCIES_H
#define CLEW_TRACE_FUNCTION_LATENCIES_H

#include "report/trace/function_calls.h"
#include "report/trace/latencies.h"

/* How long they took at least, and at most. */
struct call_latencies {
	const char *name; /* not owned */
	struct latencies least, most;
	uint64_t unknown; /* calls of which nobody knows how long they took */
};

void call_latencies_add(struct call_latencies *latencies,
			const struct function_call *call);

/* Of each function that is called, those first that took longest in all. */
struct function_latencies {
	/* By function of the catalog; NULL: it is not called. */
	struct call_latencies **items;
	size_t room;
	struct call_latencies **sorted;
	size_t count;
};

/* Of functions for which chosen[function of the catalog] is not 0. */
void function_latencies_find(struct function_latencies *all,
			     const struct traces *traces,
			     const struct trace_window *window,
			     const uint8_t *chosen);
void function_latencies_fini(struct function_latencies *all);

#endif
