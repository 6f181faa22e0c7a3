/* SPDX-License-Identifier: MIT */
/* See html_timeline.h. */
#include "report/html/html_timeline.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/html/html_page.h"

/* ---- Samples ---- */

static int by_time(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left;
	const uint64_t b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/*
 * Returns the time of the latest of the first `most` samples; 0: none. There
 * are more samples. Samples of one time that do not all fit are left out.
 */
static uint64_t time_of_latest(const struct timeline *samples, size_t most)
{
	uint64_t *times = memory_zeroed(samples->count, sizeof(*times));
	uint64_t latest;

	for (size_t i = 0; i < samples->count; i++)
		times[i] = samples->samples[i].time_ns;
	qsort(times, samples->count, sizeof(*times), by_time);
	while (most > 0 && times[most - 1] == times[most])
		most--; /* samples of one time stay together */
	latest = most ? times[most - 1] : 0;
	free(times);
	return latest;
}

static void choose_samples(struct html_page *page, uint64_t start_ns)
{
	const struct trace_window *window = &page->view->window;
	struct timeline *samples = &page->session->timeline;
	const size_t most = page->view->slices;
	uint64_t latest_ns;

	timeline_cut(samples, window->from_ns,
		     window->to_ns ? window->to_ns : UINT64_MAX);
	page->timeline.samples = samples->count;
	if (samples->count <= most)
		return;
	latest_ns = time_of_latest(samples, most);
	timeline_cut(samples, 0, latest_ns);
	page->timeline.sampled_to_ns =
		latest_ns > start_ns ? latest_ns - start_ns : 1;
}

/*
 * Adds the samples to the lanes of their threads. The samples of a thread are
 * contiguous.
 */
static void add_samples(struct html_page *page)
{
	const struct timeline *timeline = &page->session->timeline;
	size_t first = 0;

	for (size_t i = 1; i <= timeline->count; i++) {
		const uint32_t thread = timeline->samples[first].thread;
		const struct timeline_thread *whose =
			&timeline->threads[thread];
		struct html_lane *lane;

		if (i < timeline->count &&
		    timeline->samples[i].thread == thread)
			continue;
		lane = html_lane_of(page, whose->part, whose->tid, whose->name);
		if (lane->sample_count > 0)
			lane = html_lane_add(page, whose->part, whose->tid,
					     whose->name);
		lane->first_sample = first;
		lane->sample_count = i - first;
		first = i;
	}
}

/* ---- Moments and regions ---- */

static int has_mark(const struct part_copy *part,
		    const struct mark_event *event)
{
	const struct wire_header *header = part->header;

	return header->pid == event->pid &&
	       header->start_ns <= event->time_ns &&
	       header->end_ns >= event->time_ns;
}

/*
 * Returns the part of the program that a process ran at that time; NULL: the
 * process has no part.
 */
static const struct part_copy *part_of_mark(const struct recording *recording,
					    const struct mark_event *event)
{
	const struct part_copy *part = NULL;

	for (size_t i = 0; i < recording->part_count; i++) {
		const struct wire_header *header = recording->parts[i].header;

		if (header->pid == event->pid &&
		    (!part || (header->start_ns <= event->time_ns &&
			       header->start_ns > part->header->start_ns)))
			part = &recording->parts[i];
	}
	return part;
}

static void add_mark(struct html_page *page, const struct part_copy *part,
		     const struct mark_event *event, uint64_t start_ns)
{
	const struct mark_list *marks = &page->session->marks;
	struct html_lane *lane = html_lane_of(page, part, event->tid, "");
	struct html_note note = {
		.kind = event->kind == WIRE_MARK_BEGIN ? NOTE_REGION
						       : NOTE_MOMENT,
		.name = strings_number(&page->timeline.names,
				       marks->sums[event->name].name),
	};

	if (event->time_ns > start_ns)
		note.time_ns = event->time_ns - start_ns;
	if (event->kind == WIRE_MARK_BEGIN && event->other) {
		uint64_t end = marks->events[event->other - 1].time_ns;

		if (end > event->time_ns)
			note.length_ns = end - event->time_ns;
	}
	html_lane_note(lane, &note);
}

static void add_marks(struct html_page *page, uint64_t start_ns)
{
	const struct mark_list *marks = &page->session->marks;
	/*
	 * the part of the previous mark, which usually is that of the next one
	 */
	const struct part_copy *part = NULL;

	for (size_t i = 0; i < marks->event_count; i++) {
		const struct mark_event *event = &marks->events[i];

		if (event->kind == WIRE_MARK_END ||
		    !window_has(&page->view->window, event->time_ns) ||
		    page->timeline.notes++ >= page->view->slices)
			continue;
		if (!part || !has_mark(part, event))
			part = part_of_mark(&page->session->recording, event);
		if (part)
			add_mark(page, part, event, start_ns);
	}
}

static int by_moment(const void *left, const void *right)
{
	const struct html_note *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->length_ns > b->length_ns ? -1 : a->length_ns < b->length_ns;
}

/* ---- Reading ---- */

/* Adds lanes in the order in which processes and threads started. */
static void add_threads(struct html_page *page)
{
	const struct recording *recording = &page->session->recording;

	for (size_t i = 0; i < recording->part_count; i++) {
		const struct part_copy *part = &recording->parts[i];
		struct threads threads;

		threads_init(&threads, part);
		for (size_t j = 0; j < threads.count; j++)
			html_lane_of(page, part, threads.items[j].tid,
				     threads.items[j].name);
		threads_fini(&threads);
	}
}

/* Removes lanes of threads without data. */
static void forget_empty(struct html_timeline *timeline)
{
	size_t kept = 0;

	for (size_t i = 0; i < timeline->lane_count; i++) {
		struct html_lane *lane = &timeline->lanes[i];

		if (lane->slice_count || lane->sample_count || lane->note_count)
			timeline->lanes[kept++] = *lane;
		else
			free(lane->slices);
	}
	timeline->lane_count = kept;
}

void html_timeline_read(struct html_page *page)
{
	const struct session *session = page->session;
	const uint64_t start_ns = recording_start_ns(&session->recording);

	if (page->view->slices == 0 || page->view->diff || session->value)
		return;
	add_threads(page);
	html_slices_read(page);
	choose_samples(page, start_ns);
	add_samples(page);
	add_marks(page, start_ns);
	forget_empty(&page->timeline);
	for (size_t i = 0; i < page->timeline.lane_count; i++) {
		struct html_lane *lane = &page->timeline.lanes[i];

		if (lane->note_count > 1)
			qsort(lane->notes, lane->note_count,
			      sizeof(*lane->notes), by_moment);
	}
}

void html_timeline_fini(struct html_timeline *timeline)
{
	for (size_t i = 0; i < timeline->lane_count; i++) {
		free(timeline->lanes[i].slices);
		free(timeline->lanes[i].notes);
	}
	free(timeline->lanes);
	function_latencies_fini(&timeline->latencies);
	idmap_fini(&timeline->lane_of);
	strings_fini(&timeline->names);
	*timeline = (struct html_timeline){ 0 };
}

/* ---- Writing ---- */

/* Writes a signed difference such that small absolute values need few bytes. */
static void put_change(struct html_column *column, uint64_t from, uint64_t to)
{
	html_column_put(column,
			to >= from ? (to - from) << 1 : (from - to) << 1 | 1);
}

struct slice_columns {
	struct html_column nest, begin, length, slack, context, odd;
};

static void put_slices(struct html_page *page, const struct html_lane *lane,
		       struct slice_columns *to)
{
	uint64_t begin = 0, context = 0;
	uint32_t depth = 0;

	for (size_t i = 0; i < lane->slice_count; i++) {
		const struct html_slice *slice = &lane->slices[i];
		const uint64_t length = slice->end_ns - slice->begin_ns;

		html_column_put(&to->nest, (uint64_t)(depth - slice->depth)
							   << SLICE_FLAG_BITS |
						   slice->flags);
		html_column_put(&to->begin, slice->begin_ns - begin);
		html_column_put(&to->length, length);
		html_column_put(&to->slack, length - slice->least_ns);
		put_change(&to->context, context, page->positions[slice->node]);
		if (slice->flags & SLICE_IS_ODD)
			html_column_put(
				&to->odd,
				html_page_function(page, slice->function));
		begin = slice->begin_ns;
		context = page->positions[slice->node];
		depth = slice->depth + 1;
	}
}

static void write_slices(struct html_page *page, struct html_stream *stream)
{
	struct slice_columns to = { 0 };

	for (size_t i = 0; i < page->timeline.lane_count; i++)
		put_slices(page, &page->timeline.lanes[i], &to);
	html_stream_column(stream, "t.nest", &to.nest);
	html_stream_column(stream, "t.begin", &to.begin);
	html_stream_column(stream, "t.length", &to.length);
	html_stream_column(stream, "t.slack", &to.slack);
	html_stream_column(stream, "t.where", &to.context);
	html_stream_column(stream, "t.odd", &to.odd);
}

static void write_samples(struct html_page *page, struct html_stream *stream)
{
	const struct timeline *timeline = &page->session->timeline;
	const uint64_t start_ns = recording_start_ns(&page->session->recording);
	struct html_column time = { 0 }, weight = { 0 }, looks = { 0 };
	struct html_column where = { 0 };

	for (size_t i = 0; i < page->timeline.lane_count; i++) {
		const struct html_lane *lane = &page->timeline.lanes[i];
		uint64_t last = start_ns, context = 0;

		for (size_t j = 0; j < lane->sample_count; j++) {
			const struct timeline_sample *sample =
				&timeline->samples[lane->first_sample + j];

			html_column_put(&time, sample->time_ns - last);
			html_column_put(&weight, sample->weight_ns);
			html_column_put(&looks, sample->looks);
			put_change(&where, context,
				   page->positions[sample->node]);
			last = sample->time_ns;
			context = page->positions[sample->node];
		}
	}
	html_stream_column(stream, "s.time", &time);
	html_stream_column(stream, "s.weight", &weight);
	html_stream_column(stream, "s.looks", &looks);
	html_stream_column(stream, "s.where", &where);
}

static void write_notes(const struct html_timeline *timeline,
			struct html_stream *stream)
{
	struct html_column notes = { 0 };

	for (size_t i = 0; i < timeline->lane_count; i++) {
		const struct html_lane *lane = &timeline->lanes[i];
		uint64_t last = 0;

		for (size_t j = 0; j < lane->note_count; j++) {
			const struct html_note *note = &lane->notes[j];

			html_column_put(&notes, note->kind);
			html_column_put(&notes, note->time_ns - last);
			html_column_put(&notes, note->length_ns);
			html_column_put(&notes, note->name);
			last = note->time_ns;
		}
	}
	html_stream_column(stream, "notes", &notes);
}

/* Writes the distributions that `clew trace --latencies` shows. */
static void write_latencies(struct html_page *page, struct html_stream *stream)
{
	enum { OCTAVES = 65 };
	const struct function_latencies *all = &page->timeline.latencies;
	struct html_column column = { 0 };

	for (size_t i = 0; i < all->count; i++) {
		const struct latencies *most = &all->sorted[i]->most;

		if (most->count == 0)
			continue;
		html_column_put(
			&column,
			html_page_function(page, all->sorted[i]->function));
		html_column_put(&column, most->count);
		html_column_put(&column, latencies_quantile(most, 0.5));
		html_column_put(&column, latencies_quantile(most, 0.99));
		html_column_put(&column, most->max_ns);
		html_column_put(&column, (uint64_t)most->sum_ns);
		for (unsigned int bit = 0; bit < OCTAVES; bit++)
			html_column_put(&column, latencies_octave(most, bit));
	}
	html_stream_column(stream, "t.all", &column);
}

void html_timeline_write(struct html_page *page, struct html_stream *stream)
{
	if (page->timeline.lane_count == 0)
		return;
	html_lanes_find_groups(page);
	write_slices(page, stream);
	write_latencies(page, stream);
	write_samples(page, stream);
	write_notes(&page->timeline, stream);
}

static void write_lanes(const struct html_page *page, struct json_stream *out)
{
	struct json_stream lanes = json_begin(out, "lanes", "[");

	for (size_t i = 0; i < page->timeline.lane_count; i++) {
		const struct html_lane *lane = &page->timeline.lanes[i];

		json_member(&lanes, NULL,
			    json_pack("{sosososisisososo}", "name",
				      json_text(lane->name), "pid",
				      json_number(lane->part->header->pid),
				      "tid", json_number(lane->tid), "process",
				      lane->process, "thread", lane->thread,
				      "slices", json_number(lane->slice_count),
				      "samples",
				      json_number(lane->sample_count), "notes",
				      json_number(lane->note_count)));
	}
	json_end(&lanes, "]");
}

/* Returns [from, to] since the start; 0: no limit. Returns null if neither. */
static json_t *window_of(const struct html_page *page)
{
	const struct trace_window *window = &page->view->window;
	const uint64_t start_ns = recording_start_ns(&page->session->recording);

	if (!window->from_ns && !window->to_ns)
		return json_null();
	return json_pack("[oo]",
			 json_number(window->from_ns > start_ns
					     ? window->from_ns - start_ns
					     : 0),
			 json_number(window->to_ns > start_ns
					     ? window->to_ns - start_ns
					     : 0));
}

void html_timeline_meta(struct html_page *page, struct json_stream *out)
{
	const struct html_timeline *timeline = &page->timeline;
	struct json_stream object, names;

	if (timeline->lane_count == 0)
		return;
	object = json_begin(out, "timeline", "{");
	json_member(&object, "calls", json_number(timeline->calls));
	json_member(&object, "shortest_ns", json_number(timeline->shortest_ns));
	json_member(&object, "odd", json_number(timeline->odd));
	json_member(&object, "samples", json_number(timeline->samples));
	json_member(&object, "sampled_to_ns",
		    json_number(timeline->sampled_to_ns));
	json_member(&object, "notes", json_number(timeline->notes));
	json_member(&object, "window", window_of(page));
	names = json_begin(&object, "names", "[");
	for (size_t i = 0; i < timeline->names.count; i++)
		json_member(&names, NULL, json_text(timeline->names.items[i]));
	json_end(&names, "]");
	write_lanes(page, &object);
	json_end(&object, "}");
}
