/* SPDX-License-Identifier: MIT */
/*
 * speedscope's own format, of its "evented" kind: frames that open and close.
 *
 * The first profile is the tree: each context is as wide as its measure and
 * begins with its callees. The size therefore grows with the number of
 * contexts, not with that of their frames. If single samples exist, a profile
 * of each thread in order of time follows.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/export/export.h"
#include "report/model/tree_walk.h"
#include "report/view/stack_change.h"
#include "report/write/json.h"

struct speedscope {
	struct export *export;
	FILE *out;
	struct json_stream events; /* events of the current profile */
	uint64_t at;
	uint32_t *functions; /* the function of each frame */
	/* by function: 1 + its frame, or 0 if it has none yet */
	uint32_t *frames;
	uint32_t frame_count;
};

static uint32_t frame_of(struct speedscope *speedscope, uint32_t node)
{
	uint32_t function = speedscope->export->tree->nodes[node].function;

	if (speedscope->frames[function] == 0) {
		speedscope->functions[speedscope->frame_count] = function;
		speedscope->frames[function] = ++speedscope->frame_count;
	}
	return speedscope->frames[function] - 1;
}

static void write_event(struct speedscope *speedscope, char type, uint32_t node)
{
	json_separate(&speedscope->events);
	fprintf(speedscope->out,
		"{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}",
		type, frame_of(speedscope, node), speedscope->at);
}

/* ---- Profiles ---- */

static void begin_profile(struct speedscope *speedscope,
			  struct json_stream *profile, const char *name,
			  const char *unit, uint64_t total)
{
	json_member(profile, "type", json_string("evented"));
	json_member(profile, "name", json_text(name));
	json_member(profile, "unit", json_string(unit));
	json_member(profile, "startValue", json_number(0));
	json_member(profile, "endValue", json_number(total));
	speedscope->at = 0;
	speedscope->events = json_begin(profile, "events", "[");
}

static const char *unit_of(const struct export *export)
{
	const struct value_sum *value = export->session->value;

	if (export->metric != METRIC_TIME)
		return "none";
	if (!value || value->unit == WIRE_UNIT_NS)
		return "nanoseconds";
	return value->unit == WIRE_UNIT_BYTES ? "bytes" : "none";
}

static void write_tree(struct speedscope *speedscope,
		       struct json_stream *profiles)
{
	const struct tree *tree = speedscope->export->tree;
	enum metric metric = speedscope->export->metric;
	struct json_stream profile = json_begin(profiles, NULL, "{");
	char *name = memory_printf("%s, by context",
				   export_measure_name(speedscope->export));
	struct tree_walk walk;
	enum tree_step step;

	begin_profile(speedscope, &profile, name, unit_of(speedscope->export),
		      tree_below_of(tree, TREE_ROOT, metric));
	free(name);
	tree_walk_init(&walk, tree, metric);
	while ((step = tree_walk_next(&walk)) != TREE_END) {
		export_tell(speedscope->export, walk.entered);
		if (tree_below_of(tree, walk.node, metric) == 0)
			continue;
		if (step == TREE_LEAVE)
			speedscope->at += tree_self_of(tree, walk.node, metric);
		write_event(speedscope, step == TREE_ENTER ? 'O' : 'C',
			    walk.node);
	}
	tree_walk_fini(&walk);
	json_end(&speedscope->events, "]");
	json_end(&profile, "}");
}

static void open_frame(void *context, uint32_t node)
{
	write_event(context, 'O', node);
}

static void close_frame(void *context, uint32_t node)
{
	write_event(context, 'C', node);
}

/*
 * Writes the profile of a thread, to which the samples [from, to) of the
 * timeline belong.
 */
static void write_thread(struct speedscope *speedscope,
			 struct json_stream *profiles, const uint32_t *moved,
			 size_t from, size_t to)
{
	const struct timeline *timeline =
		&speedscope->export->session->timeline;
	const struct timeline_thread *thread =
		&timeline->threads[timeline->samples[from].thread];
	struct json_stream profile = json_begin(profiles, NULL, "{");
	struct stack_change change = { 0 };
	char *name = memory_printf("%s (pid %" PRIu32 ", tid %" PRIu32 ")",
				   thread->name, thread->pid, thread->tid);
	uint64_t total = 0;
	uint32_t now = TREE_ROOT;

	for (size_t i = from; i < to; i++)
		total += timeline->samples[i].weight_ns;
	begin_profile(speedscope, &profile, name, "nanoseconds", total);
	for (size_t i = from; i < to; i++) {
		uint32_t next = moved[timeline->samples[i].node];

		stack_change(&change, speedscope->export->tree, now, next,
			     close_frame, open_frame, speedscope);
		now = next;
		speedscope->at += timeline->samples[i].weight_ns;
	}
	stack_change(&change, speedscope->export->tree, now, TREE_ROOT,
		     close_frame, open_frame, speedscope);
	json_end(&speedscope->events, "]");
	json_end(&profile, "}");
	free(name);
	free(change.path);
}

static void write_threads(struct speedscope *speedscope,
			  struct json_stream *profiles)
{
	const struct timeline *timeline =
		&speedscope->export->session->timeline;
	uint32_t *moved = export_moved(speedscope->export);
	size_t from = 0;

	for (size_t i = 1; i <= timeline->count; i++) {
		if (i < timeline->count &&
		    timeline->samples[i].thread ==
			    timeline->samples[from].thread)
			continue;
		write_thread(speedscope, profiles, moved, from, i);
		from = i;
	}
	free(moved);
}

/* ---- The file ---- */

static json_t *frame_value(struct catalog *catalog, uint32_t function)
{
	json_t *value =
		json_pack("{so}", "name",
			  json_text(catalog_marked_name(catalog, function)));
	const char *file;
	uint32_t line;

	if (catalog_place(catalog, function, &file, &line)) {
		json_object_set_new(value, "file", json_text(file));
		json_object_set_new(value, "line", json_number(line));
	}
	return value;
}

static void write_frames(struct speedscope *speedscope,
			 struct json_stream *object)
{
	struct json_stream shared = json_begin(object, "shared", "{");
	struct json_stream frames = json_begin(&shared, "frames", "[");

	for (uint32_t i = 0; i < speedscope->frame_count; i++)
		json_member(&frames, NULL,
			    frame_value(&speedscope->export->session->catalog,
					speedscope->functions[i]));
	json_end(&frames, "]");
	json_end(&shared, "}");
}

int export_speedscope(struct export *export, FILE *out, char **why)
{
	size_t functions = export->session->catalog.function_count;
	struct speedscope speedscope = {
		.export = export,
		.out = out,
		.functions = memory_zeroed(functions, sizeof(uint32_t)),
		.frames = memory_zeroed(functions, sizeof(uint32_t)),
	};
	struct json_stream file = { .out = out }, object, profiles;
	char *command = export_command(export);

	object = json_begin(&file, NULL, "{");
	json_member(&object, "$schema",
		    json_string("https://www.speedscope.app/"
				"file-format-schema.json"));
	json_member(&object, "exporter", json_string("clew@" CLEW_VERSION));
	json_member(&object, "name", json_text(command));
	json_member(&object, "activeProfileIndex", json_number(0));
	profiles = json_begin(&object, "profiles", "[");
	write_tree(&speedscope, &profiles);
	if (export->metric == METRIC_TIME)
		write_threads(&speedscope, &profiles);
	json_end(&profiles, "]");
	write_frames(&speedscope, &object);
	json_end(&object, "}\n");
	free(command);
	free(speedscope.functions);
	free(speedscope.frames);
	return 0;
}
