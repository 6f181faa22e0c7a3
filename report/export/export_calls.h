/* SPDX-License-Identifier: MIT */
/* The calls of a trace one by one, for formats that have slices. */
#ifndef CLEW_EXPORT_EXPORT_CALLS_H
#define CLEW_EXPORT_EXPORT_CALLS_H

#include "report/export/export.h"

struct exported_call {
	const struct traced_process *process;
	const struct call_event *event;
	uint64_t time_ns;  /* CLOCK_REALTIME */
	uint32_t function; /* of the catalog; FUNCTION_NONE: event is a gap */
};

typedef void exported_call_found(void *context,
				 const struct exported_call *call);

/*
 * Beginnings, ends and gaps of what was selected, in the export's window of time: a
 * thread after the other, each in the order of time. Nothing without traces.
 */
void export_calls(const struct export *export, exported_call_found *found,
		  void *context);

#endif
