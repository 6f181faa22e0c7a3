/* SPDX-License-Identifier: MIT */
/*
 * The calls of some functions in a trace, one after the other: how long each took,
 * which were the slowest, and what one of them did.
 */
#ifndef CLEW_TRACE_FUNCTION_CALLS_H
#define CLEW_TRACE_FUNCTION_CALLS_H

#include "report/trace/call_duration.h"
#include "report/trace/call_lines.h"
#include "report/trace/merged_lines.h"

/* One that is over, or was running where the trace or the window stops. */
struct function_call {
	const struct traced_process *process;
	size_t first, stop; /* the packets of its thread's tally */
	uint32_t function;  /* of the catalog */
	struct call_event end;
	struct call_duration duration;
};

/* By what they are ordered: the longest it can have been, if that is known. */
static inline uint64_t function_call_ns(const struct function_call *call)
{
	return call->duration.has_most ? call->duration.most_ns
				       : call->duration.least_ns;
}

typedef void function_call_found(void *context,
				 const struct function_call *call);

/* Each call of a function for which chosen[function of the catalog] is not 0. */
void function_calls_each(const struct traces *traces,
			 const struct trace_window *window,
			 const uint8_t *chosen, function_call_found *found,
			 void *context);

/* The slowest of those, the slowest first. free() the items. */
struct slow_calls {
	struct function_call *items;
	size_t count, limit;
	uint64_t all; /* calls there were */
};

void slow_calls_find(struct slow_calls *slow, const struct traces *traces,
		     const struct trace_window *window, const uint8_t *chosen,
		     size_t limit);

/*
 * The lines of a call, and of what was called in it, `levels` deep with itself (0:
 * any). Depths count from it.
 */
typedef void call_line_found(void *context, const struct call_line *line);

void function_call_lines(const struct traces *traces,
			 const struct function_call *call, uint32_t levels,
			 call_line_found *found, void *context);

#endif
