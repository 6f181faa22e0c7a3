/* SPDX-License-Identifier: MIT */
/* Visits the single calls of a trace, for formats that show calls as slices. */
#ifndef CLEW_EXPORT_EXPORT_CALLS_H
#define CLEW_EXPORT_EXPORT_CALLS_H

#include "report/export/export.h"

struct exported_call {
	const struct traced_process *process;
	const struct call_event *event;
	uint64_t time_ns; /* CLOCK_REALTIME */
	/* index in the catalog; FUNCTION_NONE if the event is a gap */
	uint32_t function;
};

typedef void exported_call_found(void *context,
				 const struct exported_call *call);

/*
 * Passes the selected beginnings, ends and gaps in the export's time window to
 * `found`, one thread after another, each in order of time. Does nothing
 * without traces.
 */
void export_calls(const struct export *export, exported_call_found *found,
		  void *context);

#endif
