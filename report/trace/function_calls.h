/* SPDX-License-Identifier: MIT */
/*
 * The calls of chosen functions in a trace: durations, the slowest calls, and
 * the contents of one call.
 */
#ifndef CLEW_TRACE_FUNCTION_CALLS_H
#define CLEW_TRACE_FUNCTION_CALLS_H

#include "report/trace/call_duration.h"
#include "report/trace/call_lines.h"
#include "report/trace/merged_lines.h"

/* A call that has ended, or was active at the end of the trace or window. */
struct function_call {
	const struct traced_process *process;
	size_t first, stop; /* range of the packets of its thread's tally */
	uint32_t function;  /* index in the catalog */
	struct call_event end;
	struct call_duration duration;
};

/*
 * Returns the value by which calls are sorted: the longest possible duration
 * or, if this is unknown, the shortest possible one.
 */
static inline uint64_t function_call_ns(const struct function_call *call)
{
	return call->duration.has_most ? call->duration.most_ns
				       : call->duration.least_ns;
}

/*
 * Returns whether the call may have caused the snapshot that the trace is in.
 * In recursion this is the innermost such call.
 */
static inline int function_call_may_cause_snapshot(
	const struct function_call *call)
{
	return call->end.ending == CALL_OPEN &&
	       call->end.tid == call->process->snapshot_tid;
}

/* Returns whether both are the same call of a trace. */
static inline int function_call_is(const struct function_call *a,
				   const struct function_call *b)
{
	return a->process == b->process &&
	       a->end.call.packet == b->end.call.packet &&
	       a->end.call.ordinal == b->end.call.ordinal &&
	       a->end.call.function == b->end.call.function &&
	       a->end.call.id == b->end.call.id;
}

typedef void function_call_found(void *context,
				 const struct function_call *call);

/*
 * Passes each call of a function with chosen[function] != 0 to `found`, if it
 * runs in the window and its thread is selected. Functions are indices in the
 * catalog.
 */
void function_calls_each(const struct traces *traces,
			 const struct trace_window *window,
			 const uint8_t *chosen, function_call_found *found,
			 void *context);

/*
 * The slowest calls of the chosen functions, at most `limit`, the slowest
 * first. The caller frees `items`.
 */
struct slow_calls {
	struct function_call *items;
	size_t count, limit;
	uint64_t all; /* number of all calls, not only those in `items` */
	/* The call that caused the snapshot, unless has_cause is 0. */
	struct function_call cause;
	int has_cause;
};

static inline int slow_calls_is_cause(const struct slow_calls *slow,
				      const struct function_call *call)
{
	return slow->has_cause && function_call_is(&slow->cause, call);
}

void slow_calls_find(struct slow_calls *slow, const struct traces *traces,
		     const struct trace_window *window, const uint8_t *chosen,
		     size_t limit);

/*
 * Passes the lines of a call and of the calls inside it to `found`, `levels`
 * deep including the call itself (0: all). Depths count from this call.
 */
typedef void call_line_found(void *context, const struct call_line *line);

void function_call_lines(const struct traces *traces,
			 const struct function_call *call, uint32_t levels,
			 call_line_found *found, void *context);

#endif
