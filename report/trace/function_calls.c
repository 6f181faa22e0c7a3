/* SPDX-License-Identifier: MIT */
/* See function_calls.h. */
#include "report/trace/function_calls.h"

#include <stdlib.h>

#include "base/memory.h"

struct call_search {
	const struct traces *traces;
	const struct trace_window *window;
	const uint8_t *chosen;
	function_call_found *found;
	void *context;
};

static void take(const struct call_search *search, struct function_call *call)
{
	const struct call_event *end = &call->end;

	call->function = traced_function(call->process, end->call.function);
	if (!search->chosen[call->function] ||
	    !traces_want(search->traces, call->process, end->tid))
		return;
	call->duration = call_duration(call->process, end);
	search->found(search->context, call);
}

static void search_thread(const struct call_search *search,
			  struct function_call *call)
{
	const struct traced_process *process = call->process;
	struct thread_calls calls;

	thread_calls_init(&calls, &process->trace, call->first, call->stop);
	if (search->window->from_ns || search->window->to_ns)
		thread_calls_window(&calls,
				    window_from_tsc(process, search->window),
				    window_to_tsc(process, search->window));
	while (thread_calls_next(&calls, &call->end))
		if (call->end.kind == CALL_END)
			take(search, call);
	thread_calls_fini(&calls);
}

void function_calls_each(const struct traces *traces,
			 const struct trace_window *window,
			 const uint8_t *chosen, function_call_found *found,
			 void *context)
{
	const struct call_search search = { .traces = traces,
					    .window = window,
					    .chosen = chosen,
					    .found = found,
					    .context = context };

	for (size_t i = 0; i < traces->count; i++) {
		struct function_call call = { .process =
						      &traces->processes[i] };
		const struct trace *trace = &call.process->trace;

		for (; call.first < trace->count; call.first = call.stop) {
			call.stop = trace_tally_stop(trace, call.first);
			search_thread(&search, &call);
		}
	}
}

/* ---- The slowest calls ---- */

static int by_duration(const void *left, const void *right)
{
	const struct function_call *a = left, *b = right;

	if (function_call_ns(a) != function_call_ns(b))
		return function_call_ns(a) > function_call_ns(b) ? -1 : 1;
	return a->end.tsc < b->end.tsc ? -1 : a->end.tsc > b->end.tsc;
}

/*
 * Inserts a call in order of duration. Calls with equal durations keep the
 * order in which they were found.
 */
static void add_slow(void *context, const struct function_call *call)
{
	struct slow_calls *slow = context;
	size_t at = slow->count;

	slow->all++;
	if (function_call_may_cause_snapshot(call) &&
	    (!slow->has_cause || call->end.depth > slow->cause.end.depth)) {
		slow->cause = *call;
		slow->has_cause = 1;
	}
	if (slow->count == slow->limit &&
	    by_duration(&slow->items[slow->count - 1], call) <= 0)
		return;
	if (slow->count < slow->limit)
		slow->count++;
	else
		at--;
	for (; at > 0 && by_duration(&slow->items[at - 1], call) > 0; at--)
		slow->items[at] = slow->items[at - 1];
	slow->items[at] = *call;
}

void slow_calls_find(struct slow_calls *slow, const struct traces *traces,
		     const struct trace_window *window, const uint8_t *chosen,
		     size_t limit)
{
	*slow = (struct slow_calls){
		.items = memory_zeroed(limit, sizeof(*slow->items)),
		.limit = limit,
	};
	function_calls_each(traces, window, chosen, add_slow, slow);
}

/* ---- One call ---- */

static int is_same(const struct traced_call *a, const struct traced_call *b)
{
	return a->packet == b->packet && a->ordinal == b->ordinal &&
	       a->function == b->function && a->id == b->id;
}

/*
 * Returns the depth of the call, read from its packet; 0: the packet was
 * reused.
 */
static uint32_t depth_of(const struct function_call *call)
{
	struct thread_calls calls;
	struct call_event event;
	uint32_t depth = 0;

	thread_calls_init(&calls, &call->process->trace, call->first,
			  call->stop);
	thread_calls_seek(&calls, call->end.call.packet);
	while (!depth && thread_calls_next(&calls, &event) &&
	       event.call.packet <= call->end.call.packet)
		if (event.kind == CALL_BEGIN &&
		    is_same(&event.call, &call->end.call))
			depth = event.depth;
	thread_calls_fini(&calls);
	return depth;
}

void function_call_lines(const struct traces *traces,
			 const struct function_call *call, uint32_t levels,
			 call_line_found *found, void *context)
{
	const uint32_t depth = depth_of(call);
	const struct call_filter filter = {
		.depth = levels ? depth - 1 + levels : 0,
	};
	struct call_lines lines;
	struct call_line line;
	int is_inside = 0, is_over = !depth;

	call_lines_init(&lines, traces, call->process, &filter, call->first,
			call->stop);
	thread_calls_seek(&lines.calls, call->end.call.packet);
	while (!is_over && call_lines_next(&lines, &line)) {
		const int is_it = line.kind != LINE_GAP &&
				  is_same(&line.event.call, &call->end.call);

		is_inside |= is_it;
		is_over = is_it && line.kind != LINE_OPEN;
		if (!is_inside || line.depth + 1 < depth)
			continue;
		line.depth -= depth - 1;
		found(context, &line);
	}
	call_lines_fini(&lines);
}
