/* SPDX-License-Identifier: MIT */
/*
 * A database for SQLite with the schema in sqlite_schema.c.
 *
 * The database is a new file that no other process uses, so it has no journal
 * and no waits for the disk. An interrupted export leaves no file.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "report/export/export.h"
#include "report/export/sqlite_rows.h"
#include "report/export/sqlite_schema.h"
#include "report/model/announced_lines.h"
#include "report/view/flat.h"
#include "report/view/labels.h"

/* ---- meta ---- */

static void add_text(struct rows *rows, const char *key, const char *value)
{
	rows_text(rows, key);
	rows_text(rows, value);
	rows_next(rows);
}

static void add_number(struct rows *rows, const char *key, uint64_t value)
{
	rows_text(rows, key);
	rows_number(rows, value);
	rows_next(rows);
}

static void add_share(struct rows *rows, const char *key, double share)
{
	rows_text(rows, key);
	rows_real(rows, share);
	rows_next(rows);
}

static void add_totals(struct rows *rows, const struct session *session)
{
	const struct summary *summary = &session->summary;

	add_number(rows, "calls", summary->calls);
	add_number(rows, "time_ns", session->value ? 0 : summary->time_ns);
	add_number(rows, "samples", summary->samples);
	add_number(rows, "contexts", summary->contexts);
	add_number(rows, "processes", summary->processes);
	add_number(rows, "threads", summary->threads);
	add_number(rows, "folded", summary->folded_calls);
	add_number(rows, "stray", summary->strays);
	add_number(rows, "verified", summary->calls_verified.verified);
	add_number(rows, "mismatches",
		   verdicts_wrong(&summary->calls_verified));
	add_share(rows, "wrong_at_most", summary->calls_verified.wrong_at_most);
	add_number(rows, "contexts_verified",
		   summary->contexts_verified.verified);
	add_number(rows, "contexts_mismatches",
		   verdicts_wrong(&summary->contexts_verified));
	add_share(rows, "contexts_wrong_at_most",
		  summary->contexts_verified.wrong_at_most);
}

static void add_meta(struct rows *rows, const struct export *export)
{
	const struct summary *summary = &export->session->summary;
	struct export_times when = export_times(export);
	char *command = export_command(export);

	rows_begin(rows, "meta", 2);
	add_number(rows, "schema", SQLITE_SCHEMA_VERSION);
	add_text(rows, "clew", CLEW_VERSION);
	add_text(rows, "command", command);
	add_text(rows, "time", time_word(summary->time));
	add_number(rows, "start_ns", when.start_ns);
	add_number(rows, "duration_ns", when.duration_ns);
	add_number(rows, "period_ns", when.period_ns);
	if (export->session->value) {
		add_text(rows, "value", export->session->value->name);
		add_text(rows, "value_unit",
			 unit_text(export->session->value->unit));
	}
	add_totals(rows, export->session);
	rows_end(rows);
	free(command);
}

static void add_losses(struct rows *rows, const struct export *export)
{
	const struct summary *summary = &export->session->summary;
	const struct recording *recording = &export->session->recording;

	rows_begin(rows, "losses", 3);
	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++) {
		if (summary->lost_calls[i] == 0)
			continue;
		rows_text(rows, "calls");
		rows_text(rows, loss_text(i));
		rows_number(rows, summary->lost_calls[i]);
		rows_next(rows);
	}
	for (unsigned int i = 0; i < WIRE_SAMPLE_LOSS_COUNT; i++) {
		if (summary->lost_samples[i] == 0)
			continue;
		rows_text(rows, "samples");
		rows_text(rows, sample_loss_text(i));
		rows_number(rows, summary->lost_samples[i]);
		rows_next(rows);
	}
	rows_end(rows);
	rows_begin(rows, "problems", 1);
	for (size_t i = 0; i < recording->problem_count; i++) {
		rows_text(rows, recording->problems[i]);
		rows_next(rows);
	}
	rows_end(rows);
}

/* ---- Modules and their functions ---- */

static void add_modules(struct rows *rows, const struct catalog *catalog)
{
	rows_begin(rows, "modules", 4);
	for (size_t i = 0; i < catalog->module_count; i++) {
		const struct catalog_module *module = &catalog->modules[i];

		rows_number(rows, i + 1);
		rows_text(rows, module->printable_path);
		rows_text(rows, module->name);
		if (module->build_id.bytes > 0)
			rows_text(rows, export_build_id(module).text);
		rows_next(rows);
	}
	rows_end(rows);
}

/*
 * Writes a row of a function. Without is_time, the agents' value replaces time.
 */
static void add_function(struct rows *rows, struct catalog *catalog,
			 const struct flat_row *row, int is_time)
{
	const struct catalog_function *function =
		&catalog->functions[row->function];
	const char *file = NULL;
	uint32_t line = 0;

	rows_number(rows, row->function);
	rows_text(rows, catalog_marked_name(catalog, row->function));
	rows_text(rows,
		  function_kind_text(catalog_kind(catalog, row->function)));
	if (function->module == CATALOG_NO_MODULE)
		rows_null(rows);
	else
		rows_number(rows, (uint64_t)function->module + 1);
	if (function->is_named)
		rows_null(rows);
	else
		rows_number(rows, function->vaddr);
	if (catalog_place(catalog, row->function, &file, &line)) {
		rows_text(rows, file);
		rows_number(rows, line);
	} else {
		rows_null(rows);
		rows_null(rows);
	}
	rows_number(rows, row->self.calls);
	rows_number(rows, row->total.calls);
	rows_number(rows, is_time ? row->self.ns : 0);
	rows_number(rows, is_time ? row->total.ns : 0);
	rows_number(rows, row->self.samples);
	rows_number(rows, row->contexts);
	if (!is_time) {
		rows_number(rows, row->self.ns);
		rows_number(rows, row->total.ns);
	}
	rows_next(rows);
}

static int by_function(const void *left, const void *right)
{
	const struct flat_row *a = left, *b = right;

	return a->function < b->function ? -1 : a->function > b->function;
}

/*
 * Adds all functions that occur in the tree, also those without own measures.
 */
static void add_functions(struct rows *rows, struct catalog *catalog,
			  const struct tree *tree, int is_time)
{
	uint32_t *labels = labels_of(tree, catalog, LABEL_FUNCTION);
	uint8_t *is_there = memory_zeroed(catalog->function_count, 1);
	struct flat_row *row, *end;
	struct flat flat;

	flat_init(&flat, tree, labels, catalog->function_count);
	if (flat.count > 1)
		qsort(flat.rows, flat.count, sizeof(*flat.rows), by_function);
	for (size_t i = 1; i < tree->count; i++)
		is_there[tree->nodes[i].function] = 1;
	row = flat.rows;
	end = flat.rows + flat.count;
	rows_begin(rows, "functions", 15);
	for (uint32_t i = 0; i < catalog->function_count; i++) {
		if (row < end && row->function == i)
			add_function(rows, catalog, row++, is_time);
		else if (is_there[i])
			add_function(rows, catalog,
				     &(struct flat_row){ .function = i },
				     is_time);
	}
	rows_end(rows);
	flat_fini(&flat);
	free(labels);
	free(is_there);
}

static void add_site(struct rows *rows, struct catalog *catalog, uint32_t site,
		     int is_return)
{
	struct a2n_frame frames[CATALOG_FRAMES];
	size_t count = catalog_site_frames(catalog, site, is_return, frames,
					   CATALOG_FRAMES);

	rows_number(rows, site);
	if (site_is_announced(catalog, site)) {
		rows_null(rows);
		rows_null(rows);
	} else {
		rows_number(rows, (uint64_t)catalog->sites[site].module + 1);
		rows_number(rows, catalog->sites[site].vaddr);
	}
	if (count > 0 && frames[0].file && frames[0].line > 0) {
		rows_text(rows, frames[0].file);
		rows_number(rows, frames[0].line);
	}
	rows_next(rows);
}

static void add_sites(struct rows *rows, struct catalog *catalog,
		      const struct tree *tree)
{
	enum { IS_CALL = 1, IS_SPOT = 2 };
	uint8_t *uses = memory_zeroed(catalog->site_count, 1);

	for (size_t i = 1; i < tree->count; i++)
		uses[tree->nodes[i].site] |=
			tree->nodes[i].is_return_site ? IS_CALL : IS_SPOT;
	for (size_t i = 0; i < tree->spot_count; i++)
		uses[tree->spots[i].site] |= IS_SPOT;
	rows_begin(rows, "sites", 5);
	for (uint32_t i = 1; i < catalog->site_count; i++) {
		if (uses[i])
			add_site(rows, catalog, i, uses[i] == IS_CALL);
	}
	rows_end(rows);
	free(uses);
}

/* ---- Contexts ---- */

static void add_contexts(struct rows *rows, const struct export *export)
{
	const struct tree *tree = export->tree;
	const int is_time = !export->session->value;

	rows_begin(rows, "contexts", 13);
	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const struct measure self = tree_self(tree, i);
		const struct measure below = tree_below(tree, i);

		export_tell(export, i);
		rows_number(rows, i);
		if (node->parent == TREE_ROOT)
			rows_null(rows);
		else
			rows_number(rows, node->parent);
		rows_number(rows, node->function);
		rows_number(rows, node->depth);
		rows_number(rows, self.calls);
		rows_number(rows, below.calls);
		rows_number(rows, is_time ? self.ns : 0);
		rows_number(rows, is_time ? below.ns : 0);
		rows_number(rows, self.samples);
		rows_number(rows, self.tails);
		if (node->site != 0)
			rows_number(rows, node->site);
		else
			rows_null(rows);
		if (!is_time) {
			rows_number(rows, self.ns);
			rows_number(rows, below.ns);
		}
		rows_next(rows);
	}
	rows_end(rows);
	rows_begin(rows, "spots", 4);
	for (size_t i = 0; i < tree->spot_count; i++) {
		const struct tree_spot *spot = &tree->spots[i];

		rows_number(rows, spot->node);
		rows_number(rows, spot->site);
		rows_number(rows, spot->ns);
		rows_number(rows, spot->samples);
		rows_next(rows);
	}
	rows_end(rows);
}

static void add_samples(struct rows *rows, const struct export *export)
{
	const struct timeline *timeline = &export->session->timeline;
	uint32_t *moved = export_moved(export);

	rows_begin(rows, "threads", 4);
	for (size_t i = 0; i < timeline->thread_count; i++) {
		rows_number(rows, i + 1);
		rows_number(rows, timeline->threads[i].pid);
		rows_number(rows, timeline->threads[i].tid);
		rows_text(rows, timeline->threads[i].name);
		rows_next(rows);
	}
	rows_end(rows);
	rows_begin(rows, "samples", 4);
	for (size_t i = 0; i < timeline->count; i++) {
		const struct timeline_sample *sample = &timeline->samples[i];

		rows_number(rows, sample->time_ns);
		rows_number(rows, sample->weight_ns);
		rows_number(rows, (uint64_t)sample->thread + 1);
		if (moved[sample->node] != TREE_ROOT)
			rows_number(rows, moved[sample->node]);
		rows_next(rows);
	}
	rows_end(rows);
	free(moved);
}

static void add_everything(struct rows *rows, struct export *export)
{
	struct catalog *catalog = &export->session->catalog;

	rows_execute(rows, "PRAGMA journal_mode = OFF");
	rows_execute(rows, "PRAGMA synchronous = OFF");
	rows_execute(rows, "BEGIN");
	rows_execute(rows, sqlite_schema);
	add_meta(rows, export);
	add_losses(rows, export);
	add_modules(rows, catalog);
	add_functions(rows, catalog, export->tree, !export->session->value);
	add_sites(rows, catalog, export->tree);
	add_contexts(rows, export);
	add_samples(rows, export);
	rows_execute(rows, sqlite_indices);
	rows_execute(rows, "COMMIT");
}

int export_sqlite(struct export *export, const char *path, char **why)
{
	struct rows rows = { 0 };
	int err = 0;

	if (sqlite3_open(path, &rows.db) != SQLITE_OK) {
		err = fail(why, -EIO, "%s", sqlite3_errmsg(rows.db));
	} else {
		add_everything(&rows, export);
		if (rows.status != SQLITE_OK)
			err = fail(why, -EIO, "%s", rows.why);
	}
	sqlite3_close(rows.db);
	free(rows.why);
	return err;
}
