/* SPDX-License-Identifier: MIT */
/* The calls of all threads of all processes, a thread after the other. */
#ifndef CLEW_TRACE_CALL_EVENTS_H
#define CLEW_TRACE_CALL_EVENTS_H

#include "report/trace/merged_lines.h"

typedef void call_event_found(void *context,
			      const struct traced_process *process,
			      const struct call_event *event);

/*
 * Beginnings, ends and gaps of what runs in a window of time, of the threads that the
 * traces are asked for: each thread's in the order of time.
 */
void call_events_each(const struct traces *traces,
		      const struct trace_window *window,
		      call_event_found *found, void *context);

#endif
