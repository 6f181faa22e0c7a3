/* SPDX-License-Identifier: MIT */
/*
 * The lines of all threads, in the order of their times.
 *
 * Each thread has a reader of its own; one that has not come to its packets yet, or
 * has left them behind, takes no memory to speak of.
 */
#ifndef CLEW_TRACE_MERGED_LINES_H
#define CLEW_TRACE_MERGED_LINES_H

#include "report/trace/call_lines.h"

struct line_source {
	struct call_lines lines;
	struct call_line line; /* its next, if it is there */
	uint64_t time_ns;      /* of that, or before it */
	uint8_t is_there;
};

struct merged_lines {
	struct line_source *sources; /* a heap, the earliest first */
	size_t count;
};

/* A window of time, CLOCK_REALTIME; zero-initialised, everything. */
struct trace_window {
	uint64_t from_ns, to_ns; /* 0: as far as it goes */
};

static inline int window_has(const struct trace_window *window,
			     uint64_t time_ns)
{
	return time_ns >= window->from_ns &&
	       (!window->to_ns || time_ns <= window->to_ns);
}

void merged_lines_init(struct merged_lines *merged, const struct traces *traces,
		       const struct call_filter *filter,
		       const struct trace_window *window);
void merged_lines_fini(struct merged_lines *merged);

/* Returns 0 when there is none. */
int merged_lines_next(struct merged_lines *merged, struct call_line *line);

/* A window in the process's time stamps. */
uint64_t window_from_tsc(const struct traced_process *process,
			 const struct trace_window *window);
uint64_t window_to_tsc(const struct traced_process *process,
		       const struct trace_window *window);

#endif
