/* SPDX-License-Identifier: MIT */
/*
 * Visits the calls of all threads of all processes, one thread after another.
 */
#ifndef CLEW_TRACE_CALL_EVENTS_H
#define CLEW_TRACE_CALL_EVENTS_H

#include "report/trace/merged_lines.h"

typedef void call_event_found(void *context,
			      const struct traced_process *process,
			      const struct call_event *event);

/*
 * Passes the beginnings, ends and gaps of all calls that run in a window of
 * time to `found`. Events of one thread are in order of time. Threads that
 * `traces` does not select are skipped.
 */
void call_events_each(const struct traces *traces,
		      const struct trace_window *window,
		      call_event_found *found, void *context);

#endif
