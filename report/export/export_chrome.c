/* SPDX-License-Identifier: MIT */
/*
 * Chrome's trace event format, for Perfetto, chrome://tracing and others.
 *
 * The format has samples, each with a stack frame that refers to its parent.
 * Only chrome://tracing shows these; Perfetto ignores them. Therefore samples
 * are also written as slices: a function lasts from the first to the last of
 * consecutive samples in it. A pause of more than two samples ends all slices
 * of a thread.
 *
 * The calls of a trace become slices with their own durations.
 *
 * Values of agents have no time. Contexts are then written as nested slices in
 * a row, each as wide as its value, as if the value were nanoseconds.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/export/export_calls.h"
#include "report/model/tree_walk.h"
#include "report/view/stack_change.h"
#include "report/write/json.h"
#include "report/write/trace_lines.h"

struct chrome {
	struct export *export;
	const struct timeline *timeline;
	FILE *out;
	struct json_stream events;
	/* names of functions in JSON syntax; NULL until they are used */
	char **names;
	uint32_t *moved;  /* result of export_moved() */
	uint8_t *is_used; /* by node: whether it is a stack frame */
	uint64_t start_ns;
	/* the thread whose slices are written */
	const struct timeline_thread *thread;
	uint64_t at_ns;                /* time of the present change */
	struct timeline_thread caller; /* the thread whose calls are written */
	/* 1 + (pid << 32 | tid) of the threads that have a name */
	struct idmap callers;
};

/* Writes microseconds with three decimals. */
static void write_time(const struct chrome *chrome, uint64_t time_ns)
{
	uint64_t ns =
		time_ns > chrome->start_ns ? time_ns - chrome->start_ns : 0;

	fprintf(chrome->out, "%" PRIu64 ".%03u", ns / 1000,
		(unsigned int)(ns % 1000));
}

static const char *name_of(struct chrome *chrome, uint32_t function)
{
	struct catalog *catalog = &chrome->export->session->catalog;
	json_t *text;

	if (!chrome->names[function]) {
		text = json_text(catalog_marked_name(catalog, function));
		chrome->names[function] = json_dumps(text, JSON_ENCODE_ANY);
		json_decref(text);
	}
	return chrome->names[function] ? chrome->names[function] : "\"\"";
}

/* ---- Names of threads ---- */

static void write_name(struct chrome *chrome, const char *what,
		       const struct timeline_thread *thread, const char *name)
{
	json_member(&chrome->events, NULL,
		    json_pack("{sssssIsIsis{so}}", "ph", "M", "name", what,
			      "pid", (json_int_t)thread->pid, "tid",
			      (json_int_t)thread->tid, "ts", 0, "args", "name",
			      json_text(name)));
}

static void write_names(struct chrome *chrome)
{
	char *command = export_command(chrome->export);

	for (size_t i = 0; i < chrome->timeline->thread_count; i++) {
		const struct timeline_thread *thread =
			&chrome->timeline->threads[i];

		if (i == 0 || thread->pid != thread[-1].pid)
			write_name(chrome, "process_name", thread, command);
		write_name(chrome, "thread_name", thread, thread->name);
	}
	free(command);
}

/* ---- Slices ---- */

static void write_slice(struct chrome *chrome, char phase, const char *name)
{
	json_separate(&chrome->events);
	fprintf(chrome->out,
		"{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		",\"name\":%s,\"ts\":",
		phase, chrome->thread->pid, chrome->thread->tid, name);
	write_time(chrome, chrome->at_ns);
	fputs(phase == 'i' ? ",\"s\":\"t\"}" : "}", chrome->out);
}

static void write_node(struct chrome *chrome, char phase, uint32_t node)
{
	write_slice(
		chrome, phase,
		name_of(chrome, chrome->export->tree->nodes[node].function));
}

static void begin_slice(void *context, uint32_t node)
{
	write_node(context, 'B', node);
}

static void end_slice(void *context, uint32_t node)
{
	write_node(context, 'E', node);
}

static int is_pause(const struct timeline_sample *before,
		    const struct timeline_sample *sample)
{
	return before->thread != sample->thread ||
	       sample->time_ns > before->time_ns + 2 * before->weight_ns;
}

static void write_slices(struct chrome *chrome)
{
	const struct timeline *timeline = chrome->timeline;
	const struct tree *tree = chrome->export->tree;
	struct stack_change change = { 0 };
	uint32_t now = TREE_ROOT, next;

	for (size_t i = 0; i < timeline->count; i++) {
		const struct timeline_sample *sample = &timeline->samples[i];

		next = chrome->moved[sample->node];
		chrome->thread = &timeline->threads[sample->thread];
		chrome->at_ns = sample->time_ns;
		stack_change(&change, tree, now, next, end_slice, begin_slice,
			     chrome);
		now = next;
		if (i + 1 < timeline->count && !is_pause(sample, sample + 1))
			continue;
		chrome->at_ns = sample->time_ns + sample->weight_ns;
		stack_change(&change, tree, now, TREE_ROOT, end_slice,
			     begin_slice, chrome);
		now = TREE_ROOT;
	}
	free(change.path);
}

/* ---- Calls ---- */

/* Writes a thread's name before its first call. */
static void take_thread(struct chrome *chrome, const struct exported_call *call)
{
	struct timeline_thread thread = {
		.pid = call->process->part->header->pid,
		.tid = call->event->tid,
	};
	const uint64_t key = (uint64_t)thread.pid << 32 | thread.tid;
	char *command;

	snprintf(thread.name, sizeof(thread.name), "%s",
		 traced_thread_name(call->process, thread.tid));
	chrome->caller = thread;
	chrome->thread = &chrome->caller;
	if (*idmap_at(&chrome->callers, key + 1))
		return;
	*idmap_at(&chrome->callers, key + 1) = 1;
	command = export_command(chrome->export);
	write_name(chrome, "process_name", &thread, command);
	write_name(chrome, "thread_name", &thread, thread.name);
	free(command);
}

static void write_call(void *context, const struct exported_call *call)
{
	struct chrome *chrome = context;
	const struct call_event *event = call->event;
	char gap[64];

	if (chrome->thread != &chrome->caller ||
	    chrome->caller.tid != event->tid ||
	    chrome->caller.pid != call->process->part->header->pid)
		take_thread(chrome, call);
	chrome->at_ns = call->time_ns;
	if (event->kind != CALL_GAP) {
		write_slice(chrome, event->kind == CALL_BEGIN ? 'B' : 'E',
			    name_of(chrome, call->function));
		return;
	}
	snprintf(gap, sizeof(gap), "\"%s\"", call_gap_text(event->gap));
	write_slice(chrome, 'i', gap);
}

/* ---- Contexts by value ---- */

static void write_values(struct chrome *chrome)
{
	const struct tree *tree = chrome->export->tree;
	const struct timeline_thread nobody = { .pid = 1, .tid = 1 };
	struct tree_walk walk;
	enum tree_step step;

	chrome->thread = &nobody;
	chrome->at_ns = chrome->start_ns = 0;
	write_name(chrome, "process_name", &nobody,
		   export_measure_name(chrome->export));
	write_name(chrome, "thread_name", &nobody, "by context");
	tree_walk_init(&walk, tree, METRIC_TIME);
	while ((step = tree_walk_next(&walk)) != TREE_END) {
		if (tree_below_of(tree, walk.node, METRIC_TIME) == 0)
			continue;
		if (step == TREE_LEAVE)
			chrome->at_ns +=
				tree_self_of(tree, walk.node, METRIC_TIME);
		write_node(chrome, step == TREE_ENTER ? 'B' : 'E', walk.node);
	}
	tree_walk_fini(&walk);
}

/* ---- Marks ---- */

static void write_mark_place(struct chrome *chrome,
			     const struct mark_event *event)
{
	struct catalog *catalog = &chrome->export->session->catalog;
	json_t *place = json_pack("{so}", "number", json_number(event->number));
	char *text;

	if (event->value_count)
		json_object_set_new(
			place, "values",
			json_event_values(&chrome->export->session->marks,
					  event));
	if (event->function != FUNCTION_NONE)
		json_object_set_new(place, "function",
				    json_text(catalog_marked_name(
					    catalog, event->function)));
	text = json_dumps(place, JSON_COMPACT);
	json_decref(place);
	fprintf(chrome->out, ",\"args\":%s}", text ? text : "{}");
	free(text);
}

/*
 * Moments belong to their thread. Regions have their own track, since samples
 * produce slices of other lengths. A region without an end stays open.
 */
static void write_marks(struct chrome *chrome)
{
	const struct mark_list *marks = &chrome->export->session->marks;

	for (size_t i = 0; i < marks->event_count; i++) {
		const struct mark_event *event = &marks->events[i];
		const int is_begin = event->kind == WIRE_MARK_BEGIN;
		json_t *name = json_text(marks->sums[event->name].name);
		char *text = json_dumps(name, JSON_ENCODE_ANY);

		json_decref(name);
		if (window_has(&chrome->export->window, event->time_ns) &&
		    (event->kind != WIRE_MARK_END || event->other)) {
			json_separate(&chrome->events);
			fprintf(chrome->out,
				"{\"ph\":\"%s\",\"cat\":\"%s\",\"pid\":%" PRIu32
				",\"tid\":%" PRIu32 ",\"name\":%s,",
				event->kind == WIRE_MARK_MOMENT ? "i"
				: is_begin                      ? "b"
								: "e",
				event->kind == WIRE_MARK_MOMENT ? "mark"
								: "region",
				event->pid, event->tid, text ? text : "\"\"");
			if (event->kind == WIRE_MARK_MOMENT)
				fputs("\"s\":\"t\",", chrome->out);
			else
				fprintf(chrome->out, "\"id\":%zu,",
					is_begin ? i : event->other - 1U);
			fputs("\"ts\":", chrome->out);
			write_time(chrome, event->time_ns);
			write_mark_place(chrome, event);
		}
		free(text);
	}
}

/* ---- Samples ---- */

static void write_samples(struct chrome *chrome, struct json_stream *object)
{
	const struct timeline *timeline = chrome->timeline;
	const char *kind = export_time_name(chrome->export);
	struct json_stream samples = json_begin(object, "samples", "[");

	for (size_t i = 0; i < timeline->count; i++) {
		const struct timeline_sample *sample = &timeline->samples[i];
		const struct timeline_thread *thread =
			&timeline->threads[sample->thread];
		uint32_t node = chrome->moved[sample->node];

		if (node == TREE_ROOT)
			continue;
		json_separate(&samples);
		fprintf(chrome->out,
			"{\"cpu\":0,\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
			",\"name\":\"%s\",\"sf\":\"%" PRIu32
			"\",\"weight\":%" PRIu64 ",\"ts\":",
			thread->pid, thread->tid, kind, node,
			sample->weight_ns);
		write_time(chrome, sample->time_ns);
		fputc('}', chrome->out);
	}
	json_end(&samples, "]");
}

static void mark_frames(struct chrome *chrome)
{
	const struct tree *tree = chrome->export->tree;

	for (size_t i = 0; i < chrome->timeline->count; i++)
		chrome->is_used
			[chrome->moved[chrome->timeline->samples[i].node]] = 1;
	for (size_t i = tree->count - 1; i > TREE_ROOT; i--)
		chrome->is_used[tree->nodes[i].parent] |= chrome->is_used[i];
}

static void write_frames(struct chrome *chrome, struct json_stream *object)
{
	const struct tree *tree = chrome->export->tree;
	struct catalog *catalog = &chrome->export->session->catalog;
	struct json_stream frames = json_begin(object, "stackFrames", "{");
	char key[12];

	for (uint32_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		json_t *frame;

		if (!chrome->is_used[i])
			continue;
		frame = json_pack(
			"{soso}", "name",
			json_text(catalog_marked_name(catalog, node->function)),
			"category",
			json_text(
				catalog_module_name(catalog, node->function)));
		if (node->parent != TREE_ROOT) {
			snprintf(key, sizeof(key), "%" PRIu32, node->parent);
			json_object_set_new(frame, "parent", json_string(key));
		}
		snprintf(key, sizeof(key), "%" PRIu32, i);
		json_member(&frames, key, frame);
	}
	json_end(&frames, "}");
}

int export_chrome(struct export *export, FILE *out, char **why)
{
	size_t functions = export->session->catalog.function_count;
	struct json_stream file = { .out = out }, object;
	struct chrome chrome = {
		.export = export,
		.timeline = &export->session->timeline,
		.out = out,
		.names = memory_zeroed(functions, sizeof(char *)),
		.moved = export_moved(export),
		.is_used = memory_zeroed(export->tree->count, 1),
		.start_ns = export_times(export).start_ns,
	};

	object = json_begin(&file, NULL, "{");
	json_member(&object, "displayTimeUnit", json_string("ns"));
	json_member(&object, "otherData",
		    json_pack("{ssso}", "version", "clew " CLEW_VERSION,
			      "start_ns", json_number(chrome.start_ns)));
	chrome.events = json_begin(&object, "traceEvents", "[");
	if (export->session->value) {
		write_values(&chrome);
	} else {
		write_names(&chrome);
		write_slices(&chrome);
		export_calls(export, write_call, &chrome);
		write_marks(&chrome);
	}
	json_end(&chrome.events, "]");
	mark_frames(&chrome);
	write_frames(&chrome, &object);
	write_samples(&chrome, &object);
	json_end(&object, "}\n");
	for (size_t i = 0; i < functions; i++)
		free(chrome.names[i]);
	free(chrome.names);
	free(chrome.moved);
	free(chrome.is_used);
	idmap_fini(&chrome.callers);
	return 0;
}
