/* SPDX-License-Identifier: MIT */
/*
 * The calls of a thread as lines: what is shown of them.
 *
 *	main() {		LINE_OPEN
 *	  leaf();		LINE_LEAF
 *	} main			LINE_CLOSE
 *
 * A call without any that is shown in it is one line. To know that, and how long it
 * takes, one reads on: a call is held back until it is over, or something in it is to
 * be shown. So memory is bounded by the depth of calls, whatever is left out.
 *
 * Calls that are left out hand what they called up to their nearest caller that is
 * shown.
 */
#ifndef CLEW_TRACE_CALL_LINES_H
#define CLEW_TRACE_CALL_LINES_H

#include "report/trace/thread_calls.h"
#include "report/trace/traces.h"

/* Zero-initialised, everything. */
struct call_filter {
	const uint8_t *keep; /* by function of the catalog; NULL: all */
	uint32_t depth;      /* of those shown, at most; 0: any */
	uint64_t least_ns;   /* calls that were over sooner are left out */
};

enum call_line_kind { LINE_OPEN, LINE_LEAF, LINE_CLOSE, LINE_GAP };

struct call_line {
	enum call_line_kind kind;
	const struct traced_process *process;
	uint32_t tid;
	uint32_t depth;    /* of those shown, 0: outermost */
	uint32_t function; /* of the catalog */
	uint64_t order_tsc;
	/* Of LINE_LEAF and LINE_CLOSE `event` is the end, else what it is of. */
	struct call_event event;
};

struct shown_call {
	uint32_t depth, function;
	uint8_t is_shown, is_open;
};

struct call_lines {
	const struct traces *traces;
	const struct traced_process *process;
	const struct call_filter *filter;
	uint64_t least_ticks;
	struct thread_calls calls;
	struct shown_call *shown; /* by depth of the calls */
	size_t count, capacity;
	size_t asked;   /* before it, all that may be shown will be */
	size_t lasting; /* the innermost of these; or none is to be opened */
	size_t settled; /* before it, all that are shown are open */
	struct call_line *lines; /* to be told: [told, line_count) */
	size_t told, line_count, line_capacity;
};

/* When that was: of LINE_OPEN and LINE_LEAF the call's beginning. */
static inline uint64_t call_line_tsc(const struct call_line *line,
				     enum call_clock *clock)
{
	if (line->kind == LINE_OPEN || line->kind == LINE_LEAF) {
		*clock = (enum call_clock)line->event.call.clock;
		return line->event.call.seen_tsc;
	}
	*clock = line->event.clock;
	return line->event.tsc;
}

/* What it is given must outlive it. The window and start are set in `calls`. */
void call_lines_init(struct call_lines *lines, const struct traces *traces,
		     const struct traced_process *process,
		     const struct call_filter *filter, size_t first,
		     size_t stop);
void call_lines_fini(struct call_lines *lines);

/* Returns 0 when there is none. */
int call_lines_next(struct call_lines *lines, struct call_line *line);

#endif
