/* SPDX-License-Identifier: MIT */
/* See export_calls.h. */
#include "report/export/export_calls.h"

#include "report/trace/call_events.h"

struct calls_walk {
	const struct export *export;
	exported_call_found *found;
	void *context;
};

static void tell(void *context, const struct traced_process *process,
		 const struct call_event *event)
{
	const struct calls_walk *walk = context;
	const struct export *export = walk->export;
	struct exported_call call = { .process = process,
				      .event = event,
				      .function = FUNCTION_NONE };

	if (event->kind != CALL_GAP) {
		call.function = traced_function(process, event->call.function);
		if (export->keep && !export->keep[call.function])
			return;
	}
	call.time_ns = clock_time_ns(&process->clock, event->tsc);
	walk->found(walk->context, &call);
}

void export_calls(const struct export *export, exported_call_found *found,
		  void *context)
{
	struct calls_walk walk = {
		.export = export,
		.found = found,
		.context = context,
	};

	if (export->traces)
		call_events_each(export->traces, &export->window, tell, &walk);
}
