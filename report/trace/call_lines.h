/* SPDX-License-Identifier: MIT */
/*
 * The calls of a thread as lines of a report:
 *
 *	main() {		LINE_OPEN
 *	  leaf();		LINE_LEAF
 *	} main			LINE_CLOSE
 *
 * A call without shown calls inside is one line. To know this, and the call's
 * duration, the reader holds a call back until it has ended or a call inside it
 * is shown. Memory is therefore bounded by the depth of calls, whatever the
 * filter omits.
 *
 * Callees of an omitted call appear below the nearest shown caller.
 */
#ifndef CLEW_TRACE_CALL_LINES_H
#define CLEW_TRACE_CALL_LINES_H

#include "report/trace/thread_calls.h"
#include "report/trace/traces.h"

/* Selects calls. All members 0 select all calls. */
struct call_filter {
	/*
	 * for each function of the catalog, 0 if it is omitted; NULL if all are
	 * shown
	 */
	const uint8_t *keep;
	uint32_t depth;    /* maximal number of shown levels; 0 for all */
	uint64_t least_ns; /* shorter calls are omitted */
};

enum call_line_kind { LINE_OPEN, LINE_LEAF, LINE_CLOSE, LINE_GAP };

struct call_line {
	enum call_line_kind kind;
	const struct traced_process *process;
	uint32_t tid;
	/* number of shown levels around the call; 0 for the outermost */
	uint32_t depth;
	uint32_t function; /* index in the catalog */
	uint64_t order_tsc;
	/*
	 * For LINE_LEAF and LINE_CLOSE the end of the call, else its beginning
	 * or the gap.
	 */
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
	struct shown_call *shown; /* the shown calls by their depth */
	size_t count, capacity;
	/* calls before this index were checked whether they are shown */
	size_t asked;
	/*
	 * the innermost checked call that is shown and whose line is still to
	 * be opened
	 */
	size_t lasting;
	/* the lines of shown calls before this index are open */
	size_t settled;
	/* lines, of which [told, line_count) are still to be returned */
	struct call_line *lines;
	size_t told, line_count, line_capacity;
};

/*
 * Returns the line's time stamp; for LINE_OPEN and LINE_LEAF that of the call's
 * beginning.
 */
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

/*
 * The arguments must outlive `lines`. The caller sets the window and the start
 * in `calls`.
 */
void call_lines_init(struct call_lines *lines, const struct traces *traces,
		     const struct traced_process *process,
		     const struct call_filter *filter, size_t first,
		     size_t stop);
void call_lines_fini(struct call_lines *lines);

/* Returns 1 and the next line, or 0 at the end. */
int call_lines_next(struct call_lines *lines, struct call_line *line);

#endif
