/* SPDX-License-Identifier: MIT */
/*
 * The processed profile format of the Firefox Profiler, version 70, as
 * src/types/profile.ts and docs-developer/CHANGELOG-formats.md in
 * https://github.com/firefox-devtools/profiler define it.
 *
 * Each thread of the program has a track with its samples. A sample weighs its
 * time ("tracing-ms"). The calls of a trace yield a track in which a sample
 * starts with each call and return, as the format's description of WeightType
 * shows; it weighs the time until the next one.
 *
 * The format has no place for numbers of calls beside times. Therefore they are
 * a separate track of a separate process: one sample for each context, whose
 * weight ("samples") is the context's number of calls. Calls that were only
 * counted have no time, so all these samples are at the start. Times that
 * belong to no sample, and values of agents, are such tracks also.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "report/export/export_calls.h"
#include "report/export/firefox_columns.h"
#include "report/export/firefox_tables.h"
#include "report/model/tree_walk.h"
#include "report/write/trace_lines.h"

enum {
	PROCESSED_VERSION = 70,
	/* version of Firefox's own format, from which this one is derived */
	GECKO_VERSION = 36,
	/*
	 * Maximum number of threads that the front end shows at first, besides
	 * those with calls.
	 */
	VISIBLE_MAX = 100,
};

/* Columns of samples, and of markers. */
enum { STACK, TIME, WEIGHT, CPU_TIME };
enum { M_NAME, M_START, M_END, M_PHASE, M_CATEGORY, M_DATA };
enum { PHASE_INSTANT, PHASE_INTERVAL };

/* A thread of the program that has samples, marks or calls of a trace. */
struct firefox_lane {
	uint32_t part; /* index of the part */
	uint32_t tid;
	char name[16];
	size_t first_sample, sample_count;
	size_t first_mark, mark_count; /* range in `marks`, in order of time */
	int has_marks;                 /* whether its marks are written */
};

/* A call of a trace that is active. */
struct open_call {
	uint32_t node;    /* node of the tree, or TREE_ROOT if it is unknown */
	uint32_t callers; /* stack of its callers */
	uint32_t function;
};

struct firefox {
	struct export *export;
	FILE *out;
	struct json_stream threads;
	struct firefox_tables tables;
	struct firefox_columns samples, cpu_samples, markers;
	struct firefox_lane *lanes;
	size_t lane_count, lane_capacity;
	struct idmap lane_at;  /* maps 1 + (part << 32 | tid) to the lane */
	struct idmap recorded; /* 1 + pid of each recorded process */
	struct idmap pids;     /* 1 + each pid that belongs to a part */
	/* by part: a unique name; NULL until it is used */
	const char **pid_names;
	const struct mark_event **marks; /* sorted by lane, then by time */
	uint32_t *mark_lanes;            /* by event: the index of its lane */
	/* The stack of the callers of each node. */
	uint32_t *callers;
	/*
	 * The shown period (CLOCK_REALTIME). It ends behind the last sample and
	 * marker, because the front end omits those at its end.
	 */
	uint64_t start_ns, end_ns;
	size_t thread_count;
	size_t calls_thread; /* index of the first thread with calls */
	int has_calls;
	/* The trace's thread that is being read. */
	const struct traced_process *process;
	uint32_t tid;
	struct open_call *open;
	size_t depth, open_capacity;
	uint64_t latest_ns;
};

/* Returns the time since the start of the profile. */
static uint64_t since_start(const struct firefox *firefox, uint64_t time_ns)
{
	return time_ns > firefox->start_ns ? time_ns - firefox->start_ns : 0;
}

/* Extends the profile to a time that it must contain. */
static void extend(struct firefox *firefox, uint64_t time_ns)
{
	if (firefox->end_ns <= time_ns)
		firefox->end_ns = time_ns + 1;
}

/* ---- Lanes ---- */

static uint32_t part_index(const struct firefox *firefox,
			   const struct part_copy *part)
{
	return (uint32_t)(part - firefox->export->session->recording.parts);
}

static uint32_t add_lane(struct firefox *firefox, uint32_t part, uint32_t tid,
			 const char *name)
{
	struct firefox_lane *lane;

	firefox->lanes = memory_grow(firefox->lanes, firefox->lane_count,
				     &firefox->lane_capacity, sizeof(*lane));
	lane = &firefox->lanes[firefox->lane_count++];
	*lane = (struct firefox_lane){ .part = part, .tid = tid };
	snprintf(lane->name, sizeof(lane->name), "%s", name);
	*idmap_at(&firefox->lane_at, ((uint64_t)part << 32 | tid) + 1) =
		firefox->lane_count;
	return (uint32_t)firefox->lane_count - 1;
}

/* Returns the latest lane of a thread, or FIREFOX_NONE. */
static uint32_t find_lane(const struct firefox *firefox, uint32_t part,
			  uint32_t tid)
{
	const uint64_t *known =
		idmap_find(&firefox->lane_at, ((uint64_t)part << 32 | tid) + 1);

	return known ? (uint32_t)*known - 1 : FIREFOX_NONE;
}

/*
 * Adds a lane for each thread with samples. The samples of a thread are
 * contiguous.
 */
static void add_sample_lanes(struct firefox *firefox)
{
	const struct timeline *timeline = &firefox->export->session->timeline;

	for (size_t i = 0; i < timeline->count; i++) {
		const uint32_t thread = timeline->samples[i].thread;
		const struct timeline_thread *whose =
			&timeline->threads[thread];

		if (i == 0 || thread != timeline->samples[i - 1].thread) {
			add_lane(firefox, part_index(firefox, whose->part),
				 whose->tid, whose->name);
			firefox->lanes[firefox->lane_count - 1].first_sample =
				i;
		}
		firefox->lanes[firefox->lane_count - 1].sample_count++;
	}
}

/*
 * Returns the index of the part of the program that the process ran at that
 * time; the process's first part if the mark is earlier; 0 if the process has
 * no part.
 */
static uint32_t part_of_mark(const struct recording *recording,
			     const struct mark_event *event)
{
	uint32_t found = 0;
	int is_found = 0;

	/* Parts are sorted by start time. */
	for (size_t i = 0; i < recording->part_count; i++) {
		const struct wire_header *header = recording->parts[i].header;

		if (header->pid != event->pid ||
		    (is_found && header->start_ns > event->time_ns))
			continue;
		found = (uint32_t)i;
		is_found = 1;
	}
	return found;
}

static int shows_mark(const struct firefox *firefox,
		      const struct mark_event *event)
{
	return event->kind != WIRE_MARK_END &&
	       window_has(&firefox->export->window, event->time_ns);
}

static uint32_t mark_lane(struct firefox *firefox,
			  const struct mark_event *event)
{
	const uint32_t part =
		part_of_mark(&firefox->export->session->recording, event);
	const uint32_t lane = find_lane(firefox, part, event->tid);

	return lane != FIREFOX_NONE ? lane
				    : add_lane(firefox, part, event->tid, "");
}

/* Sorts the marks by lane. A counting sort keeps their order by time. */
static void add_mark_lanes(struct firefox *firefox)
{
	const struct mark_list *list = &firefox->export->session->marks;
	const struct mark_event **by_time = mark_list_by_time(list);
	size_t at = 0;

	firefox->mark_lanes =
		memory_zeroed(list->event_count, sizeof(uint32_t));
	firefox->marks =
		memory_zeroed(list->event_count, sizeof(struct mark_event *));
	for (size_t i = 0; i < list->event_count; i++) {
		const struct mark_event *event = by_time[i];

		if (!shows_mark(firefox, event))
			continue;
		firefox->mark_lanes[i] = mark_lane(firefox, event);
		firefox->lanes[firefox->mark_lanes[i]].mark_count++;
	}
	for (size_t i = 0; i < firefox->lane_count; i++) {
		firefox->lanes[i].first_mark = at;
		at += firefox->lanes[i].mark_count;
		firefox->lanes[i].mark_count = 0;
	}
	for (size_t i = 0; i < list->event_count; i++) {
		struct firefox_lane *lane =
			&firefox->lanes[firefox->mark_lanes[i]];

		if (shows_mark(firefox, by_time[i]))
			firefox->marks[lane->first_mark + lane->mark_count++] =
				by_time[i];
	}
	free(by_time);
}

/* ---- Threads ---- */

/*
 * Returns the part's process id, which is a string. Programs that a process
 * executes one after another, and processes that reuse an id, get a suffix.
 */
static const char *pid_of(struct firefox *firefox, uint32_t part)
{
	const struct wire_header *header =
		firefox->export->session->recording.parts[part].header;
	uint64_t *uses;

	if (firefox->pid_names[part])
		return firefox->pid_names[part];
	uses = idmap_at(&firefox->pids, (uint64_t)header->pid + 1);
	firefox->pid_names[part] =
		++*uses == 1 ? memory_printf("%" PRIu32, header->pid)
			     : memory_printf("%" PRIu32 ".%" PRIu64,
					     header->pid, *uses - 1);
	return firefox->pid_names[part];
}

/* The members of a thread before its samples. */
struct thread_head {
	const char *name, *process_name, *pid;
	uint32_t tid;
	int is_main;
	/* start and end of the process; the end is 0 if it is unknown */
	uint64_t start_ns, end_ns;
	int shows_markers;
};

static json_t *ms_value(uint64_t ns)
{
	return json_real((double)ns / 1e6);
}

static struct json_stream begin_thread(struct firefox *firefox,
				       const struct thread_head *head)
{
	struct json_stream thread = json_begin(&firefox->threads, NULL, "{");

	firefox->thread_count++;
	json_member(&thread, "name", json_text(head->name));
	json_member(&thread, "processType", json_string("default"));
	json_member(&thread, "processName", json_text(head->process_name));
	json_member(&thread, "isMainThread", json_boolean(head->is_main));
	json_member(&thread, "pid", json_string(head->pid));
	json_member(&thread, "tid", json_number(head->tid));
	json_member(&thread, "processStartupTime",
		    ms_value(since_start(firefox, head->start_ns)));
	json_member(&thread, "processShutdownTime",
		    head->end_ns ? ms_value(since_start(firefox, head->end_ns))
				 : json_null());
	json_member(&thread, "registerTime",
		    ms_value(since_start(firefox, head->start_ns)));
	json_member(&thread, "unregisterTime", json_null());
	json_member(&thread, "pausedRanges", json_array());
	if (head->shows_markers)
		json_member(&thread, "showMarkersInTimeline", json_true());
	return thread;
}

/* Ends a thread whose samples are in these columns. */
static void end_thread(struct firefox *firefox, struct json_stream *thread,
		       struct firefox_columns *samples, const char *weight_type)
{
	struct json_stream table = json_begin(thread, "samples", "{");

	json_member(&table, "weightType", json_string(weight_type));
	firefox_columns_flush(samples, &table);
	json_end(&table, "}");
	table = json_begin(thread, "markers", "{");
	firefox_columns_flush(&firefox->markers, &table);
	json_end(&table, "}");
	json_end(thread, "}");
}

/*
 * Puts a sample's stack, or null for FIREFOX_NONE, and its time into the row.
 * The caller adds the weight and ends the row.
 */
static void put_sample(struct firefox_columns *samples, uint32_t stack,
		       uint64_t time_ns)
{
	if (stack == FIREFOX_NONE)
		firefox_put_null(samples, STACK);
	else
		firefox_put_number(samples, STACK, stack);
	firefox_put_ms(samples, TIME, time_ns);
}

/* ---- Markers ---- */

struct firefox_marker {
	const char *name;
	/* CLOCK_REALTIME; the end is 0 for a moment */
	uint64_t start_ns, end_ns;
	json_t *data;
};

static void put_marker(struct firefox *firefox,
		       const struct firefox_marker *marker)
{
	struct firefox_columns *markers = &firefox->markers;

	extend(firefox, marker->start_ns);
	extend(firefox, marker->end_ns);
	firefox_put_number(markers, M_NAME,
			   firefox_string(&firefox->tables, marker->name));
	firefox_put_ms(markers, M_START,
		       since_start(firefox, marker->start_ns));
	if (marker->end_ns)
		firefox_put_ms(markers, M_END,
			       since_start(firefox, marker->end_ns));
	else
		firefox_put_null(markers, M_END);
	firefox_put_number(markers, M_PHASE,
			   marker->end_ns ? PHASE_INTERVAL : PHASE_INSTANT);
	firefox_put_number(markers, M_CATEGORY, FIREFOX_OTHER);
	firefox_put_json(markers, M_DATA, marker->data);
	firefox_columns_next(markers);
}

/* Returns "expression = value, ..."; the caller frees it. */
static char *values_text(const struct mark_list *list,
			 const struct mark_event *event)
{
	char *text = NULL;
	size_t length;
	FILE *out = memory_stream(&text, &length);

	for (uint32_t i = 0; i < event->value_count; i++) {
		const struct mark_value *value =
			&list->values[event->first_value + i];
		char *number = mark_value_text(value);

		fprintf(out, "%s%s = %s", i ? ", " : "", value->name, number);
		free(number);
	}
	fclose(out);
	return text;
}

static json_t *mark_data(struct firefox *firefox,
			 const struct mark_event *event)
{
	struct session *session = firefox->export->session;
	json_t *data = json_pack("{ssso}", "type", "mark", "number",
				 json_number(event->number));
	char *values;

	if (event->function != FUNCTION_NONE)
		json_object_set_new(
			data, "function",
			json_text(catalog_marked_name(&session->catalog,
						      event->function)));
	if (event->value_count) {
		values = values_text(&session->marks, event);
		json_object_set_new(data, "values", json_text(values));
		free(values);
	}
	return data;
}

/*
 * Writes a mark. A region without an end lasts until the end of the profile as
 * far as it is written.
 */
static void put_mark(struct firefox *firefox, const struct mark_event *event)
{
	const struct mark_list *list = &firefox->export->session->marks;
	struct firefox_marker marker = {
		.name = list->sums[event->name].name,
		.start_ns = event->time_ns,
		.data = mark_data(firefox, event),
	};

	if (event->kind == WIRE_MARK_BEGIN) {
		marker.end_ns = event->other
					? list->events[event->other - 1].time_ns
					: firefox->end_ns;
		if (marker.end_ns < marker.start_ns)
			marker.end_ns = marker.start_ns;
	}
	put_marker(firefox, &marker);
}

/*
 * Writes a marker for the fork or exec by which the process or its program
 * began. Writes nothing for a process that an unrecorded process has started.
 */
static void put_origin(struct firefox *firefox,
		       const struct wire_header *header)
{
	struct firefox_marker marker = { .name = "exec",
					 .start_ns = header->start_ns };

	if (!window_has(&firefox->export->window, header->start_ns) ||
	    (header->origin == WIRE_FROM_START &&
	     !idmap_find(&firefox->recorded, (uint64_t)header->ppid + 1)))
		return;
	if (header->origin == WIRE_FROM_FORK)
		marker.name = "fork";
	marker.data = json_pack("{ssso}", "type", "process", "parent",
				json_number(header->ppid));
	put_marker(firefox, &marker);
}

static void put_lane_markers(struct firefox *firefox, struct firefox_lane *lane)
{
	const struct wire_header *header =
		firefox->export->session->recording.parts[lane->part].header;

	if (lane->has_marks)
		return;
	lane->has_marks = 1;
	if (lane->tid == header->pid)
		put_origin(firefox, header);
	for (size_t i = 0; i < lane->mark_count; i++)
		put_mark(firefox, firefox->marks[lane->first_mark + i]);
}

/* ---- Samples ---- */

/* Returns the name of the process's main thread, or else of this thread. */
static const char *process_name(const struct firefox *firefox, uint32_t part,
				const char *name)
{
	const struct wire_header *header =
		firefox->export->session->recording.parts[part].header;
	const uint32_t lane = find_lane(firefox, part, header->pid);
	const char *main_name =
		firefox->process
			? traced_thread_name(firefox->process, header->pid)
			: "";

	if (!*main_name && lane != FIREFOX_NONE)
		main_name = firefox->lanes[lane].name;
	return *main_name ? main_name : name;
}

static struct thread_head head_of(struct firefox *firefox, uint32_t part,
				  uint32_t tid, const char *name)
{
	const struct wire_header *header =
		firefox->export->session->recording.parts[part].header;

	return (struct thread_head){
		.name = name,
		.process_name = process_name(firefox, part, name),
		.pid = pid_of(firefox, part),
		.tid = tid,
		.is_main = tid == header->pid,
		.start_ns = header->start_ns,
		.end_ns = header->end_ns,
	};
}

static uint32_t sample_stack(struct firefox *firefox, uint32_t node,
			     uint32_t site)
{
	const struct tree *tree = firefox->export->tree;

	if (node == TREE_ROOT)
		return FIREFOX_NONE;
	return firefox_stack_at(&firefox->tables, firefox->callers[node],
				tree->nodes[node].function, site);
}

static void write_lane(struct firefox *firefox, struct firefox_lane *lane,
		       const uint32_t *moved)
{
	const struct session *session = firefox->export->session;
	const int has_cpu = session->summary.time == WIRE_TIME_CPU &&
			    lane->sample_count > 0;
	struct firefox_columns *samples =
		has_cpu ? &firefox->cpu_samples : &firefox->samples;
	struct thread_head head =
		head_of(firefox, lane->part, lane->tid, lane->name);
	struct json_stream thread;

	head.shows_markers = lane->mark_count > 0;
	thread = begin_thread(firefox, &head);
	for (size_t i = 0; i < lane->sample_count; i++) {
		const struct timeline_sample *sample =
			&session->timeline.samples[lane->first_sample + i];

		put_sample(samples,
			   sample_stack(firefox, moved[sample->node],
					sample->site),
			   since_start(firefox, sample->time_ns));
		extend(firefox, sample->time_ns + sample->weight_ns);
		firefox_put_ms(samples, WEIGHT, sample->weight_ns);
		if (has_cpu)
			firefox_put_number(samples, CPU_TIME,
					   sample->weight_ns);
		firefox_columns_next(samples);
	}
	put_lane_markers(firefox, lane);
	end_thread(firefox, &thread, samples, "tracing-ms");
}

static void write_lanes(struct firefox *firefox)
{
	uint32_t *moved = export_moved(firefox->export);

	for (size_t i = 0; i < firefox->lane_count; i++) {
		struct firefox_lane *lane = &firefox->lanes[i];

		if (lane->sample_count > 0 ||
		    (lane->mark_count > 0 && !lane->has_marks))
			write_lane(firefox, lane, moved);
	}
	free(moved);
}

/*
 * Finds the callers' stack of each node. Parents precede their children. Groups
 * have no frame.
 */
static void find_callers(struct firefox *firefox)
{
	const struct tree *tree = firefox->export->tree;

	firefox->callers = memory_zeroed(tree->count, sizeof(uint32_t));
	firefox->callers[TREE_ROOT] = FIREFOX_NONE;
	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const uint32_t function = tree->nodes[node->parent].function;

		export_tell(firefox->export, i);
		firefox->callers[i] = firefox->callers[node->parent];
		if (node->parent != TREE_ROOT &&
		    catalog_kind(firefox->tables.catalog, function) !=
			    KIND_GROUP)
			firefox->callers[i] = firefox_callers(
				&firefox->tables,
				firefox->callers[node->parent], function,
				node->is_return_site ? node->site : 0, 1);
	}
}

/* ---- Calls of a trace ---- */

static uint32_t open_stack(struct firefox *firefox)
{
	const struct open_call *call;

	if (firefox->depth == 0)
		return FIREFOX_NONE;
	call = &firefox->open[firefox->depth - 1];
	return firefox_stack_at(&firefox->tables, call->callers, call->function,
				0);
}

/* Adds a sample for the time from the last event to this one. */
static void pass_time(struct firefox *firefox, uint64_t time_ns)
{
	const uint64_t from_ns = firefox->latest_ns;

	if (time_ns <= from_ns)
		return;
	firefox->latest_ns = time_ns;
	if (from_ns == 0)
		return;
	put_sample(&firefox->samples, open_stack(firefox),
		   since_start(firefox, from_ns));
	firefox_put_ms(&firefox->samples, WEIGHT, time_ns - from_ns);
	extend(firefox, time_ns);
	firefox_columns_next(&firefox->samples);
}

static void open_call(struct firefox *firefox, uint32_t function)
{
	const struct tree *tree = firefox->export->tree;
	struct open_call call = { .function = function,
				  .callers = FIREFOX_NONE };

	if (firefox->depth == 0) {
		call.node = tree_find(tree, TREE_ROOT, function);
	} else {
		const struct open_call *caller =
			&firefox->open[firefox->depth - 1];
		const struct tree_node *node;

		if (caller->node != TREE_ROOT)
			call.node = tree_find(tree, caller->node, function);
		node = &tree->nodes[call.node];
		call.callers = firefox_callers(
			&firefox->tables, caller->callers, caller->function,
			call.node != TREE_ROOT && node->is_return_site
				? node->site
				: 0,
			1);
	}
	firefox->open = memory_grow(firefox->open, firefox->depth,
				    &firefox->open_capacity, sizeof(call));
	firefox->open[firefox->depth++] = call;
}

static void put_gap(struct firefox *firefox, const struct call_event *event,
		    uint64_t time_ns)
{
	json_t *data = json_pack("{ss}", "type", "gap");

	if (event->gap == GAP_MISSING)
		json_object_set_new(data, "missing",
				    json_number(event->missing));
	put_marker(firefox,
		   &(struct firefox_marker){ .name = call_gap_text(event->gap),
					     .start_ns = time_ns,
					     .data = data });
}

/* Writes the thread whose calls were read, if any. */
static void end_calls(struct firefox *firefox)
{
	struct thread_head head;
	struct json_stream thread;
	uint32_t part, lane;

	if (!firefox->process)
		return;
	part = part_index(firefox, firefox->process->part);
	head = head_of(firefox, part, firefox->tid,
		       traced_thread_name(firefox->process, firefox->tid));
	lane = find_lane(firefox, part, firefox->tid);
	if (lane == FIREFOX_NONE)
		lane = add_lane(firefox, part, firefox->tid, head.name);
	put_lane_markers(firefox, &firefox->lanes[lane]);
	head.shows_markers = firefox->markers.rows > 0;
	thread = begin_thread(firefox, &head);
	end_thread(firefox, &thread, &firefox->samples, "tracing-ms");
	firefox->process = NULL;
	firefox->depth = 0;
	firefox->latest_ns = 0;
}

static void add_call(void *context, const struct exported_call *call)
{
	struct firefox *firefox = context;
	const struct call_event *event = call->event;
	const struct trace_window *window = &firefox->export->window;
	uint64_t time_ns = call->time_ns;

	if (firefox->process != call->process || firefox->tid != event->tid) {
		end_calls(firefox);
		firefox->process = call->process;
		firefox->tid = event->tid;
	}
	if (time_ns < window->from_ns)
		time_ns = window->from_ns;
	if (window->to_ns && time_ns > window->to_ns)
		time_ns = window->to_ns;
	if (event->kind == CALL_GAP) {
		put_gap(firefox, event, time_ns);
		return;
	}
	pass_time(firefox, time_ns);
	if (event->kind == CALL_BEGIN)
		open_call(firefox, call->function);
	else if (firefox->depth > 0)
		firefox->depth--;
}

/* ---- Contexts ---- */

/*
 * A track of contexts: the measure by which they are weighted, its name, and
 * its type.
 */
struct context_track {
	enum metric metric;
	char *name;
	const char *weight_type;
	int is_time;
};

static void put_context(struct firefox *firefox,
			const struct context_track *track, uint32_t node,
			uint64_t number)
{
	struct firefox_columns *samples = &firefox->samples;

	if (number == 0)
		return;
	put_sample(samples, sample_stack(firefox, node, 0), 0);
	if (track->is_time)
		firefox_put_ms(samples, WEIGHT, number);
	else
		firefox_put_number(samples, WEIGHT, number);
	firefox_columns_next(samples);
}

static void put_losses(struct firefox *firefox)
{
	const struct summary *summary = &firefox->export->session->summary;

	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++)
		if (summary->lost_calls[i])
			put_marker(
				firefox,
				&(struct firefox_marker){
					.name = loss_text(i),
					.start_ns = firefox->start_ns,
					.data = json_pack(
						"{ssso}", "type", "lost",
						"calls",
						json_number(summary->lost_calls
								    [i])) });
}

/* Ends a thread of contexts; `group` is the name of a process or thread. */
static void end_contexts(struct firefox *firefox,
			 const struct context_track *track, const char *group)
{
	struct thread_head head = {
		.process_name = "all processes, by context",
		.pid = "0",
		.tid = (uint32_t)firefox->thread_count,
		.start_ns = firefox->start_ns,
	};
	struct json_stream thread;
	char *name;

	if (firefox->samples.rows == 0)
		return;
	name = memory_printf("%s%s%s", track->name, group ? ": " : "",
			     group ? group : "");
	head.name = name;
	if (!firefox->has_calls) {
		firefox->has_calls = 1;
		firefox->calls_thread = firefox->thread_count;
		head.is_main = 1;
		put_losses(firefox);
	}
	thread = begin_thread(firefox, &head);
	end_thread(firefox, &thread, &firefox->samples, track->weight_type);
	free(name);
}

static void write_contexts(struct firefox *firefox, struct context_track *track)
{
	const struct tree *tree = firefox->export->tree;
	struct catalog *catalog = firefox->tables.catalog;
	struct tree_walk walk;
	enum tree_step step;

	tree_walk_init(&walk, tree, track->metric);
	while ((step = tree_walk_next(&walk)) != TREE_END) {
		const struct tree_node *node = &tree->nodes[walk.node];
		const int is_group =
			catalog_kind(catalog, node->function) == KIND_GROUP;

		export_tell(firefox->export, walk.entered);
		if (step == TREE_ENTER && !is_group)
			put_context(
				firefox, track, walk.node,
				tree_self_of(tree, walk.node, track->metric));
		else if (step == TREE_LEAVE && is_group)
			end_contexts(firefox, track,
				     catalog_name(catalog, node->function));
	}
	end_contexts(firefox, track, NULL);
	tree_walk_fini(&walk);
	free(track->name);
}

static struct context_track value_track(const struct firefox *firefox)
{
	const struct value_sum *value = firefox->export->session->value;
	struct context_track track = {
		.metric = METRIC_TIME,
		.weight_type = "tracing-ms",
		.is_time = !value || value->unit == WIRE_UNIT_NS,
	};

	track.name = memory_printf(
		"%s", value ? value->name : export_time_name(firefox->export));
	if (!track.is_time)
		track.weight_type =
			value->unit == WIRE_UNIT_BYTES ? "bytes" : "samples";
	return track;
}

static void write_context_threads(struct firefox *firefox, int has_times)
{
	const struct measure all = tree_below(firefox->export->tree, TREE_ROOT);
	struct context_track calls = { .metric = METRIC_CALLS,
				       .weight_type = "samples" };
	struct context_track value;

	if (all.ns > 0 && (firefox->export->session->value || !has_times)) {
		value = value_track(firefox);
		write_contexts(firefox, &value);
	}
	if (all.calls > 0) {
		calls.name = memory_printf("calls");
		write_contexts(firefox, &calls);
	}
}

/* ---- The file ---- */

static json_t *categories(void)
{
	static const struct {
		const char *name, *color;
	} rows[FIREFOX_CATEGORY_COUNT] = {
		[FIREFOX_OTHER] = { "Other", "grey" },
		[FIREFOX_IDLE] = { "Idle", "transparent" },
		[FIREFOX_PROGRAM] = { "Program", "yellow" },
		[FIREFOX_SYSTEM] = { "System library", "blue" },
		[FIREFOX_KERNEL] = { "Kernel", "orange" },
		[FIREFOX_JAVA] = { "Java", "green" },
		[FIREFOX_JNI] = { "JNI", "lightblue" },
		[FIREFOX_GENERATED] = { "Generated code", "purple" },
		[FIREFOX_CLEW] = { "clew", "darkgrey" },
	};
	json_t *list = json_array();

	for (size_t i = 0; i < FIREFOX_CATEGORY_COUNT; i++)
		json_array_append_new(
			list,
			json_pack("{sssss[s]}", "name", rows[i].name, "color",
				  rows[i].color, "subcategories", "Other"));
	return list;
}

static json_t *marker_schema(void)
{
	static const char schema[] =
		"["
		"{\"name\":\"mark\",\"tableLabel\":\"{marker.data.values}\","
		"\"display\":[\"marker-chart\",\"marker-table\","
		"\"timeline-overview\"],\"fields\":["
		"{\"key\":\"number\",\"label\":\"Number\","
		"\"format\":\"integer\"},"
		"{\"key\":\"function\",\"label\":\"Function\","
		"\"format\":\"string\"},"
		"{\"key\":\"values\",\"label\":\"Values\","
		"\"format\":\"string\"}],"
		"\"description\":\"A moment or region that the program or a "
		"probe has marked.\"},"
		"{\"name\":\"gap\",\"display\":[\"marker-chart\","
		"\"marker-table\",\"timeline-overview\"],\"fields\":["
		"{\"key\":\"missing\",\"label\":\"Missing contexts\","
		"\"format\":\"integer\"}],"
		"\"description\":\"Calls of the trace are missing here.\"},"
		"{\"name\":\"process\",\"display\":[\"marker-chart\","
		"\"marker-table\"],\"fields\":["
		"{\"key\":\"parent\",\"label\":\"Parent process\","
		"\"format\":\"integer\"}],"
		"\"description\":\"A process or its program began.\"},"
		"{\"name\":\"lost\",\"display\":[\"marker-chart\","
		"\"marker-table\"],\"fields\":["
		"{\"key\":\"calls\",\"label\":\"Lost calls\","
		"\"format\":\"integer\"}],"
		"\"description\":\"Calls that were not counted.\"}"
		"]";

	return json_loads(schema, 0, NULL);
}

static void write_thread_lists(const struct firefox *firefox,
			       struct json_stream *meta)
{
	const size_t calls = firefox->has_calls ? firefox->calls_thread
						: firefox->thread_count;
	struct json_stream list =
		json_begin(meta, "initialVisibleThreads", "[");

	for (size_t i = 0; i < firefox->thread_count; i++)
		if (i < VISIBLE_MAX || (i >= calls && i < calls + VISIBLE_MAX))
			json_member(&list, NULL, json_number(i));
	json_end(&list, "]");
	if (firefox->thread_count > 0)
		json_member(
			meta, "initialSelectedThreads",
			json_pack(
				"[o]",
				json_number(
					firefox->export->metric ==
								METRIC_CALLS &&
							firefox->has_calls
						? firefox->thread_count - 1
						: 0)));
}

static void write_meta(const struct firefox *firefox,
		       struct json_stream *profile)
{
	const struct export_times times = export_times(firefox->export);
	struct json_stream meta = json_begin(profile, "meta", "{");
	char *command = export_command(firefox->export);
	uint64_t end_ns = since_start(firefox, firefox->end_ns);

	json_member(&meta, "interval",
		    times.period_ns ? ms_value(times.period_ns)
				    : json_integer(1));
	json_member(&meta, "startTime", ms_value(firefox->start_ns));
	json_member(&meta, "profilingStartTime", json_integer(0));
	json_member(&meta, "profilingEndTime",
		    ms_value(end_ns ? end_ns : 1000000));
	json_member(&meta, "processType", json_integer(0));
	json_member(&meta, "product", json_text(command[0] ? command : "clew"));
	json_member(&meta, "importedFrom", json_string("clew " CLEW_VERSION));
	json_member(&meta, "arguments", json_text(command));
	json_member(&meta, "platform", json_string("X11"));
	json_member(&meta, "oscpu", json_string("Linux"));
	json_member(&meta, "stackwalk", json_integer(1));
	json_member(&meta, "version", json_integer(GECKO_VERSION));
	json_member(&meta, "preprocessedProfileVersion",
		    json_integer(PROCESSED_VERSION));
	json_member(&meta, "symbolicated", json_true());
	json_member(&meta, "usesOnlyOneStackType", json_true());
	json_member(&meta, "sourceCodeIsNotOnSearchfox", json_true());
	json_member(&meta, "keepProfileThreadOrder", json_true());
	json_member(&meta, "sampleUnits",
		    json_pack("{ssssss}", "time", "ms", "eventDelay", "ms",
			      "threadCPUDelta", "ns"));
	json_member(&meta, "categories", categories());
	json_member(&meta, "markerSchema", marker_schema());
	write_thread_lists(firefox, &meta);
	json_end(&meta, "}");
	free(command);
}

static void write_threads(struct firefox *firefox, struct json_stream *profile)
{
	const struct session *session = firefox->export->session;
	size_t timed;

	firefox->threads = json_begin(profile, "threads", "[");
	if (!session->value) {
		add_sample_lanes(firefox);
		add_mark_lanes(firefox);
		export_calls(firefox->export, add_call, firefox);
		end_calls(firefox);
	}
	timed = firefox->thread_count + session->timeline.count;
	write_lanes(firefox);
	write_context_threads(firefox, timed > 0);
	json_end(&firefox->threads, "]");
}

static void begin(struct firefox *firefox)
{
	static const char *const samples[] = { "stack", "time", "weight",
					       NULL };
	static const char *const cpu_samples[] = { "stack", "time", "weight",
						   "threadCPUDelta", NULL };
	static const char *const markers[] = { "name",  "startTime", "endTime",
					       "phase", "category",  "data",
					       NULL };
	struct export *export = firefox->export;
	const struct export_times times = export_times(export);

	firefox->start_ns = times.start_ns;
	firefox->end_ns = times.start_ns + times.duration_ns;
	if (export->window.from_ns > firefox->start_ns)
		firefox->start_ns = export->window.from_ns;
	if (export->window.to_ns && export->window.to_ns < firefox->end_ns)
		firefox->end_ns = export->window.to_ns;
	firefox->pid_names = memory_zeroed(
		export->session->recording.part_count, sizeof(char *));
	for (size_t i = 0; i < export->session->recording.part_count; i++)
		*idmap_at(&firefox->recorded,
			  (uint64_t) export->session->recording.parts[i]
					  .header->pid +
				  1) = 1;
	firefox_tables_init(&firefox->tables, export);
	firefox_columns_begin(&firefox->samples, samples);
	firefox_columns_begin(&firefox->cpu_samples, cpu_samples);
	firefox_columns_begin(&firefox->markers, markers);
	find_callers(firefox);
}

static void finish(struct firefox *firefox)
{
	for (size_t i = 0; i < firefox->export->session->recording.part_count;
	     i++)
		free((char *)firefox->pid_names[i]);
	free(firefox->pid_names);
	firefox_tables_fini(&firefox->tables);
	firefox_columns_fini(&firefox->samples);
	firefox_columns_fini(&firefox->cpu_samples);
	firefox_columns_fini(&firefox->markers);
	free(firefox->lanes);
	free(firefox->marks);
	free(firefox->mark_lanes);
	free(firefox->callers);
	free(firefox->open);
	idmap_fini(&firefox->lane_at);
	idmap_fini(&firefox->recorded);
	idmap_fini(&firefox->pids);
}

int export_firefox(struct export *export, FILE *out, char **why)
{
	struct firefox firefox = { .export = export, .out = out };
	struct json_stream file = { .out = out }, profile;
	int err;

	begin(&firefox);
	profile = json_begin(&file, NULL, "{");
	write_threads(&firefox, &profile);
	firefox_write_libraries(&firefox.tables, &profile);
	firefox_write_shared(&firefox.tables, &profile);
	write_meta(&firefox, &profile);
	json_end(&profile, "}\n");
	err = firefox.samples.err       ? firefox.samples.err
	      : firefox.cpu_samples.err ? firefox.cpu_samples.err
					: firefox.markers.err;
	finish(&firefox);
	return err ? fail(why, err, "a temporary file failed: %s",
			  strerror(-err))
		   : 0;
}
