/* SPDX-License-Identifier: MIT */
#include "tests/unit/exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/dump/dump.h"
#include "report/export/export.h"
#include "report/html/html.h"
#include "report/recording/rules.h"
#include "report/view/labels.h"
#include "report/view/views.h"
#include "report/write/writer.h"

static void write_callers(FILE *out, struct session *session)
{
	uint8_t *chosen =
		selection_named(&session->catalog, "(unknown function)");
	struct tree_view view = { .shows_callers = 1 };
	struct tree callers;

	tree_callers(&session->tree, chosen, 16, &callers);
	view.tree = &callers;
	writer_text.tree(out, session, &view);
	tree_fini(&callers);
	free(chosen);
}

static void write_with(const struct report_writer *writer, FILE *out,
		       struct session *session)
{
	struct tree_view view = { .tree = &session->tree };
	struct list_view list = { .catalog = &session->catalog,
				  .detail = LIST_ALL };
	struct flat flat;
	uint32_t *labels;

	labels = labels_of(&session->tree, &session->catalog, LABEL_MODULE);
	flat_init(&flat, &session->tree, labels,
		  session->catalog.function_count);
	free(labels);
	writer->flat(out, session,
		     &(struct flat_view){ .flat = &flat, .what = "module" });
	flat_fini(&flat);
	writer->tree(out, session, &view);
	writer->list(out, &list);
}

static void write_butterfly(const struct report_writer *writer, FILE *out,
			    struct session *session)
{
	struct catalog *catalog = &session->catalog;
	uint8_t *chosen = memory_zeroed(catalog->function_count, 1);
	struct butterfly butterfly;

	/* Each name, because several functions may share one. */
	for (size_t i = 1; i < session->tree.count; i += 3)
		chosen[session->tree.nodes[i].function] = 1;
	butterfly_init(&butterfly, &session->tree, catalog, chosen,
		       session->metric);
	writer->butterfly(out, session,
			  &(struct butterfly_view){ .butterfly = &butterfly,
						    .name = "these" });
	butterfly_fini(&butterfly);
	free(chosen);
}

static void write_diff(const struct report_writer *writer, FILE *out,
		       struct session *before, struct session *after)
{
	static const struct selection all;
	struct diff_table table;
	struct diff diff;

	diff_init(&diff, before, after);
	diff_table_init(&table, &diff, &all, DIFF_TOTAL);
	writer->diff(out, before,
		     &(struct diff_view){ .diff = &diff,
					  .table = &table,
					  .key = DIFF_TOTAL });
	writer->tree(
		out, before,
		&(struct tree_view){ .tree = &diff.changes, .diff = &diff });
	diff_table_fini(&table);
	diff_fini(&diff);
}

/* Writes the export formats that contain samples, or the other ones. */
static void write_exports(FILE *out, struct export *export, int with_samples)
{
	char *why;

	for (const struct export_format *format = export_formats; format->name;
	     format++) {
		if ((format->needs_samples || format->likes_samples) !=
		    with_samples)
			continue;
		if (format->write ? format->write(export, out, &why)
				  : format->save(export, ":memory:", &why))
			abort();
	}
}

/* Writes all formats except text and JSON. */
static void write_formats(FILE *out, struct session *session)
{
	static const struct whose everybody;
	struct export export = {
		.session = session,
		.tree = &session->tree,
		.metric = session->metric,
		.annotates = 1,
	};

	write_exports(out, &export, 0);
	html_write(out, &(struct html_view){ .session = session,
					     .whose = &everybody });
}

static void write_everything(struct session *session)
{
	FILE *out = fopen("/dev/null", "w");
	struct rule_sums rules = { 0 };

	write_with(&writer_text, out, session);
	write_with(&writer_json, out, session);
	write_callers(out, session);
	write_butterfly(&writer_text, out, session);
	write_butterfly(&writer_json, out, session);
	write_formats(out, session);
	for (size_t i = 0; i < session->recording.part_count; i++) {
		dump_part(out, &session->recording.parts[i], 1);
		rule_sums_add(&rules, &session->recording.parts[i]);
	}
	rule_sums_warn(out, &rules, "");
	rule_sums_fini(&rules);
	fclose(out);
}

/* Writes all formats without every other function. */
static void write_some(FILE *out, struct session *session)
{
	size_t functions = session->catalog.function_count;
	struct export export = {
		.session = session,
		.metric = session->metric,
		.keep = memory_zeroed(functions, 1),
	};
	struct tree kept;

	for (size_t i = 0; i < functions; i += 2)
		export.keep[i] = 1;
	tree_keep(&session->tree, export.keep, &kept);
	export.tree = &kept;
	write_exports(out, &export, 1);
	tree_fini(&kept);
	free(export.keep);
}

static void check_timeline(const struct session *session)
{
	for (size_t i = 0; i < session->timeline.count; i++) {
		if (session->timeline.samples[i].node >= session->tree.count)
			abort();
	}
}

/* Writes the page with the complete timeline, and with a minimal one. */
static void write_timelines(FILE *out, struct session *session)
{
	static const struct whose everybody;
	static const size_t most[] = { 1000000, 3 };

	for (size_t i = 0; i < 2; i++)
		html_write(out, &(struct html_view){ .session = session,
						     .whose = &everybody,
						     .slices = most[i] });
}

/* Reads the recording again and writes it by thread and by sample. */
static void write_otherwise(const char *path, struct session *whole)
{
	static const struct whose each = {
		.grouping = GROUP_THREAD,
		.with_clew = 1,
		.with_timeline = 1,
	};
	static const struct whose slowly = { .with_timeline = 1 };
	FILE *out = fopen("/dev/null", "w");
	struct session other;
	char *why;

	if (session_open(&other, path, &each, &why) != 0)
		abort();
	session_inline(&other);
	check_timeline(&other);
	write_with(&writer_text, out, &other);
	write_diff(&writer_text, out, whole, &other);
	write_diff(&writer_json, out, &other, whole);
	session_close(&other);
	if (session_open(&other, path, &slowly, &why) != 0)
		abort();
	check_timeline(&other);
	write_timelines(out, &other);
	write_some(out, &other);
	session_close(&other);
	fclose(out);
}

/* Writes the first value that agents counted, instead of time. */
static void write_values(const char *path, struct session *whole)
{
	const struct whose counted = {
		.value = whole->values.count ? whole->values.items[0].name
					     : NULL,
		.without_time = 1,
	};
	FILE *out = fopen("/dev/null", "w");
	struct session session;
	struct export export;
	uint32_t *labels;
	char *why;

	if (counted.value && session_open(&session, path, &counted, &why) != 0)
		abort();
	if (counted.value) {
		export = (struct export){
			.session = &session,
			.tree = &session.tree,
			.metric = METRIC_TIME,
		};
		write_exports(out, &export, 0);
		write_exports(out, &export, 1);
		write_with(&writer_text, out, &session);
		write_diff(&writer_text, out, &session, &session);
		write_diff(&writer_json, out, &session, &session);
		html_write(out, &(struct html_view){ .session = &session,
						     .whose = &counted });
		labels = labels_of(&session.tree, &session.catalog,
				   LABEL_CONTEXT);
		free(labels);
		session_close(&session);
	}
	fclose(out);
}

int64_t exercise_recording(const char *path, int with_writers)
{
	static const struct whose everybody;
	struct session session;
	char *why = NULL;
	int64_t calls;
	int err = session_open(&session, path, &everybody, &why);

	if (err) {
		if (!why || strchr(why, '\n'))
			abort();
		free(why);
		return err;
	}
	if (with_writers) {
		write_everything(&session);
		write_otherwise(path, &session);
		write_values(path, &session);
	}
	calls = (int64_t)session.summary.calls;
	session_close(&session);
	return calls;
}
