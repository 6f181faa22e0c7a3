/* SPDX-License-Identifier: MIT */
/* See merged_lines.h. */
#include "report/trace/merged_lines.h"

#include <stdlib.h>

#include "base/memory.h"

uint64_t window_from_tsc(const struct traced_process *process,
			 const struct trace_window *window)
{
	return window->from_ns ? clock_tsc(&process->clock, window->from_ns)
			       : 0;
}

uint64_t window_to_tsc(const struct traced_process *process,
		       const struct trace_window *window)
{
	return window->to_ns ? clock_tsc(&process->clock, window->to_ns)
			     : UINT64_MAX;
}

/* ---- The heap ---- */

static int is_before(const struct line_source *a, const struct line_source *b)
{
	return a->time_ns < b->time_ns;
}

/* Restores the heap after the item's time has increased. */
static void sink_down(struct merged_lines *merged, size_t at)
{
	struct line_source *items = merged->sources;

	for (;;) {
		size_t child = 2 * at + 1;
		struct line_source moved;

		if (child >= merged->count)
			return;
		if (child + 1 < merged->count &&
		    is_before(&items[child + 1], &items[child]))
			child++;
		if (!is_before(&items[child], &items[at]))
			return;
		moved = items[at];
		items[at] = items[child];
		items[child] = moved;
		at = child;
	}
}

static void close_source(struct line_source *source)
{
	if (source->lines)
		call_lines_fini(source->lines);
	free(source->lines);
}

static void remove_first(struct merged_lines *merged)
{
	close_source(&merged->sources[0]);
	merged->sources[0] = merged->sources[--merged->count];
	sink_down(merged, 0);
}

/* ---- Sources ---- */

/* Adds a source, which is not read before it is the first in the heap. */
static void add_source(struct merged_lines *merged,
		       const struct traced_process *process, size_t first,
		       size_t stop)
{
	const uint64_t from = window_from_tsc(process, merged->window);
	const uint64_t tsc = process->trace.packets[first].tsc;

	merged->sources[merged->count++] = (struct line_source){
		.process = process,
		.first = first,
		.stop = stop,
		.time_ns =
			clock_time_ns(&process->clock, tsc > from ? tsc : from),
	};
}

static void open_source(const struct merged_lines *merged,
			struct line_source *source)
{
	const struct traced_process *process = source->process;
	const struct trace_window *window = merged->window;

	source->lines = memory_zeroed(1, sizeof(*source->lines));
	call_lines_init(source->lines, merged->traces, process, merged->filter,
			source->first, source->stop);
	if (window->from_ns || window->to_ns)
		thread_calls_window(&source->lines->calls,
				    window_from_tsc(process, window),
				    window_to_tsc(process, window));
}

static size_t count_tallies(const struct traces *traces)
{
	size_t count = 0;

	for (size_t i = 0; i < traces->count; i++) {
		const struct trace *trace = &traces->processes[i].trace;

		for (size_t at = 0; at < trace->count;
		     at = trace_tally_stop(trace, at))
			count++;
	}
	return count;
}

void merged_lines_init(struct merged_lines *merged, const struct traces *traces,
		       const struct call_filter *filter,
		       const struct trace_window *window)
{
	*merged = (struct merged_lines){
		.traces = traces,
		.filter = filter,
		.window = window,
		.sources = memory_zeroed(count_tallies(traces) + 1,
					 sizeof(*merged->sources)),
	};
	for (size_t i = 0; i < traces->count; i++) {
		const struct traced_process *process = &traces->processes[i];
		size_t at = 0, stop;

		for (; at < process->trace.count; at = stop) {
			stop = trace_tally_stop(&process->trace, at);
			add_source(merged, process, at, stop);
		}
	}
	for (size_t i = merged->count / 2; i > 0; i--)
		sink_down(merged, i - 1);
}

void merged_lines_fini(struct merged_lines *merged)
{
	for (size_t i = 0; i < merged->count; i++)
		close_source(&merged->sources[i]);
	free(merged->sources);
	*merged = (struct merged_lines){ 0 };
}

/* Reads the first source's next line. */
static void read_line(struct merged_lines *merged)
{
	struct line_source *source = &merged->sources[0];

	if (!source->lines)
		open_source(merged, source);
	if (!call_lines_next(source->lines, &source->line)) {
		remove_first(merged);
		return;
	}
	source->is_there = 1;
	source->time_ns =
		clock_time_ns(&source->process->clock, source->line.order_tsc);
	sink_down(merged, 0);
}

int merged_lines_next(struct merged_lines *merged, struct call_line *line)
{
	while (merged->count > 0 && !merged->sources[0].is_there)
		read_line(merged);
	if (merged->count == 0)
		return 0;
	*line = merged->sources[0].line;
	merged->sources[0].is_there = 0;
	return 1;
}
