/* SPDX-License-Identifier: MIT */
/* See call_events.h. */
#include "report/trace/call_events.h"

struct events_walk {
	const struct traces *traces;
	const struct trace_window *window;
	call_event_found *found;
	void *context;
};

static void walk_tally(const struct events_walk *walk,
		       const struct traced_process *process, size_t first,
		       size_t stop)
{
	const struct trace_window *window = walk->window;
	struct thread_calls calls;
	struct call_event event;

	thread_calls_init(&calls, &process->trace, first, stop);
	if (window->from_ns || window->to_ns)
		thread_calls_window(&calls, window_from_tsc(process, window),
				    window_to_tsc(process, window));
	while (thread_calls_next(&calls, &event))
		if (traces_want(walk->traces, process, event.tid))
			walk->found(walk->context, process, &event);
	thread_calls_fini(&calls);
}

void call_events_each(const struct traces *traces,
		      const struct trace_window *window,
		      call_event_found *found, void *context)
{
	const struct events_walk walk = {
		.traces = traces,
		.window = window,
		.found = found,
		.context = context,
	};

	for (size_t i = 0; i < traces->count; i++) {
		const struct traced_process *process = &traces->processes[i];
		const struct trace *trace = &process->trace;
		size_t stop;

		for (size_t at = 0; at < trace->count; at = stop) {
			stop = trace_tally_stop(trace, at);
			walk_tally(&walk, process, at, stop);
		}
	}
}
