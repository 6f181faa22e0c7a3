/* SPDX-License-Identifier: MIT */
/* See call_lines.h. */
#include "report/trace/call_lines.h"

#include <stdlib.h>

#include "base/memory.h"

void call_lines_init(struct call_lines *lines, const struct traces *traces,
		     const struct traced_process *process,
		     const struct call_filter *filter, size_t first,
		     size_t stop)
{
	*lines = (struct call_lines){
		.traces = traces,
		.process = process,
		.filter = filter,
	};
	if (filter->least_ns)
		lines->least_ticks =
			clock_tsc(&process->clock,
				  process->clock.start_ns + filter->least_ns) -
			process->clock.first_tsc;
	thread_calls_init(&lines->calls, &process->trace, first, stop);
}

void call_lines_fini(struct call_lines *lines)
{
	thread_calls_fini(&lines->calls);
	free(lines->shown);
	free(lines->lines);
	*lines = (struct call_lines){ 0 };
}

static struct call_line *add_line(struct call_lines *lines,
				  enum call_line_kind kind,
				  const struct call_event *event,
				  uint64_t order_tsc)
{
	struct call_line *line;

	lines->lines =
		memory_grow(lines->lines, lines->line_count,
			    &lines->line_capacity, sizeof(*lines->lines));
	line = &lines->lines[lines->line_count++];
	*line = (struct call_line){
		.kind = kind,
		.process = lines->process,
		.tid = event->tid,
		.order_tsc = order_tsc,
		.event = *event,
	};
	return line;
}

static void add_call_line(struct call_lines *lines, enum call_line_kind kind,
			  const struct call_event *event,
			  const struct shown_call *shown)
{
	const uint64_t order =
		kind == LINE_CLOSE ? event->tsc : event->call.seen_tsc;
	struct call_line *line = add_line(
		lines, kind, event,
		order > lines->calls.from_tsc ? order : lines->calls.from_tsc);

	line->depth = shown->depth;
	line->function = shown->function;
}

/* Emits the opening line of a call that has a shown call inside. */
static void open_line(struct call_lines *lines, size_t index,
		      const struct call_event *now)
{
	struct shown_call *shown = &lines->shown[index];
	struct call_event event = {
		.kind = CALL_BEGIN,
		.tid = now->tid,
		.depth = (uint32_t)index + 1,
		.call = lines->calls.stack[index],
	};

	event.tsc = event.call.seen_tsc;
	event.clock = event.call.clock;
	shown->is_open = 1;
	add_call_line(lines, LINE_OPEN, &event, shown);
}

static void open_around(struct call_lines *lines, size_t index,
			const struct call_event *now)
{
	for (; lines->settled < index; lines->settled++)
		if (lines->shown[lines->settled].is_shown &&
		    !lines->shown[lines->settled].is_open)
			open_line(lines, lines->settled, now);
}

static int lasts(const struct call_lines *lines, const struct traced_call *call,
		 uint64_t tsc)
{
	return call->begin_tsc == 0 ||
	       tsc - call->begin_tsc >= lines->least_ticks;
}

/*
 * A call that is certainly shown opens all calls around it, so the innermost
 * such call is searched. Inner calls began later, so the search can stop at the
 * first call that may not be shown.
 */
static void settle(struct call_lines *lines, size_t count,
		   const struct call_event *now)
{
	for (; lines->asked < count; lines->asked++) {
		if (!lines->shown[lines->asked].is_shown)
			continue;
		if (!lasts(lines, &lines->calls.stack[lines->asked], now->tsc))
			break;
		lines->lasting = lines->asked;
	}
	open_around(lines, lines->lasting, now);
}

static void begin(struct call_lines *lines, const struct call_event *event)
{
	const struct call_filter *filter = lines->filter;
	struct shown_call shown = {
		.function =
			traced_function(lines->process, event->call.function),
	};

	lines->shown = memory_grow(lines->shown, lines->count, &lines->capacity,
				   sizeof(*lines->shown));
	if (lines->count > 0) {
		const struct shown_call *around =
			&lines->shown[lines->count - 1];

		shown.depth = around->depth + around->is_shown;
	}
	shown.is_shown = (!filter->keep || filter->keep[shown.function]) &&
			 (!filter->depth || shown.depth < filter->depth) &&
			 traces_want(lines->traces, lines->process, event->tid);
	lines->shown[lines->count++] = shown;
	settle(lines, lines->count, event);
}

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void end(struct call_lines *lines, const struct call_event *event)
{
	const size_t index = lines->count - 1;
	const struct shown_call shown = lines->shown[index];

	settle(lines, index, event);
	if (shown.is_open) {
		add_call_line(lines, LINE_CLOSE, event, &shown);
	} else if (shown.is_shown && lasts(lines, &event->call, event->tsc)) {
		open_around(lines, index, event);
		add_call_line(lines, LINE_LEAF, event, &shown);
	}
	lines->count = index;
	lines->asked = lesser(lines->asked, index);
	lines->lasting = lesser(lines->lasting, index);
	lines->settled = lesser(lines->settled, index);
}

static void take(struct call_lines *lines, const struct call_event *event)
{
	if (event->kind == CALL_BEGIN) {
		begin(lines, event);
	} else if (event->kind == CALL_END) {
		end(lines, event);
	} else if (traces_want(lines->traces, lines->process, event->tid)) {
		settle(lines, lines->count, event);
		/* the gap is inside these calls */
		open_around(lines, lines->asked, event);
		add_line(lines, LINE_GAP, event, event->tsc)->depth =
			lines->count ? lines->shown[lines->count - 1].depth +
					       lines->shown[lines->count - 1]
						       .is_shown
				     : 0;
	}
}

int call_lines_next(struct call_lines *lines, struct call_line *line)
{
	struct call_event event;

	while (lines->told == lines->line_count) {
		lines->told = lines->line_count = 0;
		if (!thread_calls_next(&lines->calls, &event))
			return 0;
		take(lines, &event);
	}
	*line = lines->lines[lines->told++];
	return 1;
}
