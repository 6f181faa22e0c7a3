/* SPDX-License-Identifier: MIT */
/*
 * Bounds of a call's duration. The call lasted at least until the last call
 * within it, and at most until the next call outside of it (thread_calls.h).
 */
#ifndef CLEW_TRACE_CALL_DURATION_H
#define CLEW_TRACE_CALL_DURATION_H

#include "report/trace/thread_calls.h"
#include "report/trace/traces.h"

struct call_duration {
	uint64_t least_ns;
	uint64_t most_ns; /* longest possible duration, valid if has_most */
	int has_most;
};

/* Returns the duration of the call that this event ends. */
static inline struct call_duration call_duration(
	const struct traced_process *process, const struct call_event *end)
{
	const struct clock *clock = &process->clock;
	const struct traced_call *call = &end->call;
	const uint64_t most = clock_ns(clock, end->tsc - call->seen_tsc);

	if (!call->begin_tsc || end->ending == CALL_OPEN ||
	    end->ending == CALL_CUT)
		return (struct call_duration){
			.least_ns = end->ending == CALL_OPEN
					    ? most
					    : clock_ns(clock,
						       call->inner_tsc -
							       call->seen_tsc),
		};
	return (struct call_duration){
		.least_ns = clock_ns(clock, call->inner_tsc - call->seen_tsc),
		.most_ns = most,
		.has_most = 1,
	};
}

#endif
