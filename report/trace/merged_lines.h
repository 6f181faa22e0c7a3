/* SPDX-License-Identifier: MIT */
/*
 * Lines of all threads in the order of their times.
 *
 * Each thread has its own reader, which exists from the thread's first line to
 * its last. There may be thousands of threads, of which few run at a time.
 */
#ifndef CLEW_TRACE_MERGED_LINES_H
#define CLEW_TRACE_MERGED_LINES_H

#include "report/trace/call_lines.h"

struct line_source {
	const struct traced_process *process;
	size_t first, stop;       /* range of the packets of the thread */
	struct call_lines *lines; /* NULL before the first line is read */
	struct call_line line; /* the source's next line, if is_there is set */
	uint64_t time_ns;      /* time of `line`, or a lower bound for it */
	uint8_t is_there;
};

struct merged_lines {
	const struct traces *traces;
	const struct call_filter *filter;
	const struct trace_window *window;
	struct line_source *sources; /* a heap, earliest first */
	size_t count;
};

/* A range of CLOCK_REALTIME. All members 0 stand for all times. */
struct trace_window {
	uint64_t from_ns, to_ns; /* 0 if the range is unlimited */
};

static inline int window_has(const struct trace_window *window,
			     uint64_t time_ns)
{
	return time_ns >= window->from_ns &&
	       (!window->to_ns || time_ns <= window->to_ns);
}

/* The arguments must outlive `merged`. */
void merged_lines_init(struct merged_lines *merged, const struct traces *traces,
		       const struct call_filter *filter,
		       const struct trace_window *window);
void merged_lines_fini(struct merged_lines *merged);

/* Returns 1 and the next line, or 0 at the end. */
int merged_lines_next(struct merged_lines *merged, struct call_line *line);

/* Return the window's bounds in the process's time stamps. */
uint64_t window_from_tsc(const struct traced_process *process,
			 const struct trace_window *window);
uint64_t window_to_tsc(const struct traced_process *process,
		       const struct trace_window *window);

#endif
