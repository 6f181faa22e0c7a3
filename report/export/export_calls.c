/* SPDX-License-Identifier: MIT */
#include "report/export/export_calls.h"

struct calls_walk {
	const struct export *export;
	const struct traced_process *process;
	exported_call_found *found;
	void *context;
};

static void tell(const struct calls_walk *walk, const struct call_event *event)
{
	const struct traced_process *process = walk->process;
	const struct export *export = walk->export;
	struct exported_call call = { .process = process,
				      .event = event,
				      .function = FUNCTION_NONE };

	if (!traces_want(export->traces, process, event->tid))
		return;
	if (event->kind != CALL_GAP) {
		call.function = traced_function(process, event->call.function);
		if (export->keep && !export->keep[call.function])
			return;
	}
	call.time_ns = clock_time_ns(&process->clock, event->tsc);
	walk->found(walk->context, &call);
}

static void walk_thread(const struct calls_walk *walk, size_t first,
			size_t stop)
{
	const struct traced_process *process = walk->process;
	const struct trace_window *window = &walk->export->window;
	struct thread_calls calls;
	struct call_event event;

	thread_calls_init(&calls, &process->trace, first, stop);
	if (window->from_ns || window->to_ns)
		thread_calls_window(&calls, window_from_tsc(process, window),
				    window_to_tsc(process, window));
	while (thread_calls_next(&calls, &event))
		tell(walk, &event);
	thread_calls_fini(&calls);
}

void export_calls(const struct export *export, exported_call_found *found,
		  void *context)
{
	const struct traces *traces = export->traces;

	for (size_t i = 0; traces && i < traces->count; i++) {
		const struct calls_walk walk = {
			.export = export,
			.process = &traces->processes[i],
			.found = found,
			.context = context,
		};
		const struct trace *trace = &walk.process->trace;
		size_t stop;

		for (size_t at = 0; at < trace->count; at = stop) {
			stop = trace_tally_stop(trace, at);
			walk_thread(&walk, at, stop);
		}
	}
}
