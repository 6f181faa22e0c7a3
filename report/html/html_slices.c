/* SPDX-License-Identifier: MIT */
/*
 * The calls of a trace as slices. The trace is read twice: first to collect
 * durations, then to store the longest calls. A call that ends is the last one
 * that began, so a call that is too short is removed when it ends.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/html/html_page.h"
#include "report/trace/call_duration.h"
#include "report/trace/call_events.h"
#include "report/trace/latencies.h"
#include "report/write/trace_lines.h"

struct slice_walk {
	struct html_page *page;
	uint64_t start_ns;       /* CLOCK_REALTIME */
	uint64_t from_ns, to_ns; /* CLOCK_REALTIME of the window */
	struct latencies *latencies;

	/* The current thread. */
	const struct traced_process *process;
	uint32_t tid;
	struct html_lane *lane;
	size_t *open; /* slices of the active calls */
	size_t open_count, open_capacity;
};

static uint64_t begin_ns(const struct slice_walk *walk,
			 const struct traced_process *process,
			 const struct traced_call *call)
{
	uint64_t time_ns = clock_time_ns(&process->clock, call->seen_tsc);

	if (time_ns < walk->from_ns)
		time_ns = walk->from_ns;
	return time_ns - walk->start_ns;
}

static uint64_t end_ns(const struct slice_walk *walk,
		       const struct traced_process *process,
		       const struct call_event *event)
{
	const uint64_t begin = begin_ns(walk, process, &event->call);
	uint64_t end = clock_time_ns(&process->clock, event->tsc);

	if (end > walk->to_ns) /* the first known event is after the window */
		end = walk->to_ns;
	return end - walk->start_ns > begin ? end - walk->start_ns : begin;
}

/* ---- First pass ---- */

static void measure_call(void *context, const struct traced_process *process,
			 const struct call_event *event)
{
	struct slice_walk *walk = context;

	if (event->kind == CALL_END)
		latencies_add(walk->latencies,
			      end_ns(walk, process, event) -
				      begin_ns(walk, process, &event->call));
}

/* ---- Second pass ---- */

static void enter_thread(struct slice_walk *walk,
			 const struct traced_process *process, uint32_t tid)
{
	if (walk->lane && walk->process == process && walk->tid == tid)
		return;
	walk->process = process;
	walk->tid = tid;
	walk->lane = html_lane_of(walk->page, process->part, tid,
				  traced_thread_name(process, tid));
	walk->open_count = 0;
}

/*
 * Adds a new lane if the present lane belongs to another thread with the same
 * tid, because a tid may be reused: the last slice of the lane begins later
 * than the call.
 */
static void leave_earlier(struct slice_walk *walk,
			  const struct call_event *event)
{
	const struct html_lane *lane = walk->lane;

	if (lane->slice_count > 0 &&
	    lane->slices[lane->slice_count - 1].begin_ns >
		    begin_ns(walk, walk->process, &event->call))
		walk->lane = html_lane_add(
			walk->page, walk->process->part, walk->tid,
			traced_thread_name(walk->process, walk->tid));
}

/*
 * Finds the context of a call. Folded calls have none, and calls with too many
 * unknown callers have none.
 */
static void place_slice(struct slice_walk *walk, struct html_slice *slice)
{
	struct html_page *page = walk->page;
	const struct html_slice *caller =
		walk->open_count
			? &walk->lane->slices[walk->open[walk->open_count - 1]]
			: NULL;
	const uint32_t above = caller ? caller->node : TREE_ROOT;

	slice->node = caller && caller->flags & SLICE_IS_ODD
			      ? TREE_ROOT
			      : html_page_callee(page, above, slice->function);
	if (slice->node != TREE_ROOT)
		return;
	slice->flags |= SLICE_IS_ODD;
	slice->node = html_page_callee(page, above, FUNCTION_FOLDED);
	if (slice->node == TREE_ROOT)
		slice->node = above;
}

static void begin_slice(struct slice_walk *walk, const struct call_event *event)
{
	struct html_lane *lane = walk->lane;
	struct html_slice *slice;

	lane->slices = memory_grow(lane->slices, lane->slice_count,
				   &lane->slice_capacity, sizeof(*slice));
	slice = &lane->slices[lane->slice_count];
	*slice = (struct html_slice){
		.begin_ns = begin_ns(walk, walk->process, &event->call),
		.function =
			traced_function(walk->process, event->call.function),
		.depth = (uint32_t)walk->open_count,
		.flags = event->call.begin_tsc &&
					 clock_time_ns(&walk->process->clock,
						       event->call.begin_tsc) >=
						 walk->from_ns
				 ? 0
				 : SLICE_BEGAN_BEFORE,
	};
	place_slice(walk, slice);
	walk->open = memory_grow(walk->open, walk->open_count,
				 &walk->open_capacity, sizeof(*walk->open));
	walk->open[walk->open_count++] = lane->slice_count++;
}

static void end_slice(struct slice_walk *walk, const struct call_event *event)
{
	struct html_timeline *timeline = &walk->page->timeline;
	struct html_lane *lane = walk->lane;
	struct html_slice *slice;
	uint64_t longest;
	size_t at;

	if (walk->open_count == 0)
		return;
	at = walk->open[--walk->open_count];
	slice = &lane->slices[at];
	slice->end_ns = end_ns(walk, walk->process, event);
	longest = slice->end_ns - slice->begin_ns;
	if (longest < timeline->shortest_ns) {
		/* the slice is the last one, so it is removed */
		lane->slice_count = at;
		return;
	}
	slice->least_ns = call_duration(walk->process, event).least_ns;
	if (slice->least_ns > longest)
		slice->least_ns = longest;
	slice->flags |= SLICE_ENDING * (uint32_t)event->ending;
	timeline->odd += (slice->flags & SLICE_IS_ODD) != 0;
}

static void note_gap(struct slice_walk *walk, const struct call_event *event)
{
	const uint64_t time_ns =
		clock_time_ns(&walk->process->clock, event->tsc);

	html_lane_note(
		walk->lane,
		&(struct html_note){
			.kind = NOTE_GAP,
			.time_ns = (time_ns > walk->from_ns ? time_ns
							    : walk->from_ns) -
				   walk->start_ns,
			.name = strings_number(&walk->page->timeline.names,
					       call_gap_text(event->gap)),
		});
}

static void take_event(void *context, const struct traced_process *process,
		       const struct call_event *event)
{
	struct slice_walk *walk = context;

	enter_thread(walk, process, event->tid);
	if (event->kind == CALL_BEGIN && walk->open_count == 0)
		leave_earlier(walk, event);
	if (event->kind == CALL_BEGIN)
		begin_slice(walk, event);
	else if (event->kind == CALL_END)
		end_slice(walk, event);
	else
		note_gap(walk, event);
}

static void read_latencies(struct slice_walk *walk, const struct traces *traces)
{
	const size_t count = traces->catalog->function_count;
	uint8_t *chosen = memory_zeroed(count + 1, 1);

	memset(chosen, 1, count);
	function_latencies_find(&walk->page->timeline.latencies, traces,
				&walk->page->view->window, chosen);
	free(chosen);
}

static void read_traces(struct slice_walk *walk, const struct traces *traces)
{
	const struct html_view *view = walk->page->view;
	struct html_timeline *timeline = &walk->page->timeline;

	walk->latencies = memory_zeroed(1, sizeof(*walk->latencies));
	call_events_each(traces, &view->window, measure_call, walk);
	timeline->calls = walk->latencies->count;
	timeline->shortest_ns =
		latencies_longest(walk->latencies, view->slices);
	free(walk->latencies);
	if (timeline->shortest_ns > 0)
		read_latencies(walk, traces);
	call_events_each(traces, &view->window, take_event, walk);
	free(walk->open);
}

void html_slices_read(struct html_page *page)
{
	const struct html_view *view = page->view;
	struct slice_walk walk = {
		.page = page,
		.start_ns = recording_start_ns(&page->session->recording),
	};
	struct traces traces;
	char *why;

	walk.from_ns = view->window.from_ns > walk.start_ns
			       ? view->window.from_ns
			       : walk.start_ns;
	walk.to_ns = view->window.to_ns ? view->window.to_ns : UINT64_MAX;
	if (traces_open(&traces, &page->session->recording, page->catalog,
			view->whose, &why) != 0) {
		free(why);
		return;
	}
	read_traces(&walk, &traces);
	traces_close(&traces);
}
