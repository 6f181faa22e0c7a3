/* SPDX-License-Identifier: MIT */
/*
 * The flat table as text. With time the table shows times and calls; without
 * time it shows calls, contexts, callers and callees. A table of all of these
 * would be too wide, and JSON contains all. The column of calls is only as wide
 * as needed, since names are last and terminals are narrow.
 */
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/write/text_rows.h"
#include "report/write/text_writer.h"

#define GROUPED(number)         (text_grouped(number).text)
#define DURATION(number)        (text_duration(number).text)
#define AMOUNT(session, number) (text_amount(session, number).text)

enum {
	CALLS_MIN = 7, /* least width of the column of calls */
	COLUMN = 10,   /* width of a column with a duration and a blank */
};

static double share_of(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0.0;
}

static void write_calls(const struct text_table *table,
			const struct flat_row *row)
{
	fprintf(table->out, "%*s %6.2f%%", table->calls_width,
		GROUPED(row->self.calls),
		100 * share_of(row->self.calls, table->session->summary.calls));
	if (table->has_contexts)
		fprintf(table->out, " %11s", GROUPED(row->contexts));
	if (!table->is_narrow)
		fprintf(table->out, " %8s %8s", GROUPED(row->callers),
			GROUPED(row->callees));
	fputs("  ", table->out);
}

/*
 * Writes the share and, for sampled time, its 95 % interval: "43.20%
 * 41.8-44.6".
 */
static void write_share(const struct text_table *table,
			const struct measure *self)
{
	const struct summary *summary = &table->session->summary;
	FILE *out = table->out;
	struct share_interval likely =
		summary_own_share(summary, self->ns, self->samples);
	char range[32];

	fprintf(out, " %6.2f%%", 100 * share_of(self->ns, summary->time_ns));
	if (!table->has_range)
		return;
	snprintf(range, sizeof(range), "%.1f-%.1f", 100 * likely.low,
		 100 * likely.high);
	fprintf(out, " %-10s", range);
}

/* Writes the shortest and the longest call, as measured. */
static void write_extremes(FILE *out, const struct timing *timing)
{
	fprintf(out, "%9s %9s ", timing->ended ? DURATION(timing->min_ns) : "-",
		timing->ended ? DURATION(timing->max_ns) : "-");
}

/* Writes the durations below which 50 % and 99 % of the calls were. */
static void write_quantiles(FILE *out, const struct flat_row *row)
{
	fprintf(out, "%9s %9s ",
		row->has_quantiles ? DURATION(row->half_below_ns) : "-",
		row->has_quantiles ? DURATION(row->most_below_ns) : "-");
}

/* Writes the bytes that natives copied from and to Java. */
static void write_copies(const struct text_table *table,
			 const struct flat_row *row)
{
	if (table->view->flat->has_copies)
		fprintf(table->out, "%15s ",
			row->copied_bytes ? GROUPED(row->copied_bytes) : "-");
}

/* Writes the number of calls, and how long they took. */
static void write_durations(const struct text_table *table,
			    const struct flat_row *row)
{
	const struct session *session = table->session;
	FILE *out = table->out;

	fprintf(out, "%*s %9s ", table->calls_width,
		row->self.calls ? GROUPED(row->self.calls) : "-",
		flat_has_per_call(row) ? AMOUNT(session, flat_per_call_ns(row))
				       : "-");
	if (timings_are_there(&session->tree.timings))
		write_extremes(out, &row->timing);
	if (table->view->flat->has_quantiles)
		write_quantiles(out, row);
}

static void write_time(const struct text_table *table,
		       const struct flat_row *row)
{
	const struct session *session = table->session;
	FILE *out = table->out;

	fprintf(out, "%*s", table->amount_width, AMOUNT(session, row->self.ns));
	if (timings_are_there(&session->tree.timings))
		fputs(timing_is_too_fine(&session->tree.timings, row->function,
					 &row->timing, row->self.ns)
			      ? "?"
			      : " ",
		      out);
	write_share(table, &row->self);
	if (table->has_total)
		fprintf(out, " %*s", table->amount_width,
			AMOUNT(session, row->total.ns));
	if (table->has_total_share)
		fprintf(out, " %6.2f%%",
			100 * share_of(row->total.ns,
				       session->summary.time_ns));
	fputc(' ', out);
	if (!table->is_narrow)
		write_durations(table, row);
	fputc(' ', out);
}

/*
 * Writes the module after the name if both have room, or if names have no
 * limit.
 */
static void write_module(const struct text_table *table, uint32_t function)
{
	struct session *session = table->session;
	const char *module = catalog_module_name(&session->catalog, function);
	const char *name =
		shown_name(&session->names, &session->catalog, function);
	const int is_inlined =
		session->catalog.functions[function].kind == KIND_INLINED;
	const int needed = (int)(text_columns(name) + strlen(module)) + 4 +
			   (is_inlined ? (int)strlen(SHOWN_INLINED) : 0);

	if (!table->room || session->names.are_full || needed <= table->room)
		text_module(table->out, session, function);
}

static void write_row(const struct text_table *table,
		      const struct flat_row *row)
{
	struct session *session = table->session;
	FILE *out = table->out;
	const struct summary *summary = &session->summary;
	enum text_style heat =
		session->metric == METRIC_TIME
			? text_heat(share_of(row->self.ns, summary->time_ns))
			: text_heat(share_of(row->self.calls, summary->calls));

	if (session->metric == METRIC_TIME)
		write_time(table, row);
	else
		write_calls(table, row);
	write_copies(table, row);
	text_begin(out, session->has_color, heat);
	text_function(out, session, row->function);
	text_end(out, session->has_color, heat);
	write_module(table, row->function);
	text_place(out, session, row->function);
}

static void write_time_heading(const struct text_table *table)
{
	const struct timings *timings = &table->session->tree.timings;
	FILE *out = table->out;

	fprintf(out, "%*s%s %7s%s", table->amount_width, "self",
		timings_are_there(timings) ? " " : "", "share",
		table->has_range ? " 95% range " : "");
	if (table->has_total)
		fprintf(out, " %*s", table->amount_width, "total");
	if (table->has_total_share)
		fprintf(out, " %7s", "share");
	fputc(' ', out);
	if (table->is_narrow) {
		fputc(' ', out);
		return;
	}
	fprintf(out, "%*s %9s %s%s ", table->calls_width, "calls", "per call",
		timings_are_there(timings) ? "      min       max " : "",
		table->view->flat->has_quantiles ? "    p50 <     p99 < " : "");
}

static void write_heading(const struct text_table *table)
{
	const char *what = table->view->what;

	if (table->session->metric == METRIC_TIME)
		write_time_heading(table);
	else
		fprintf(table->out, "%*s %7s%s%s  ", table->calls_width,
			"calls", "share",
			table->has_contexts ? "    contexts" : "",
			table->is_narrow ? "" : "  callers  callees");
	fprintf(table->out, "%s%s%s",
		table->view->flat->has_copies ? "   bytes copied " : "", what,
		strcmp(what, "function") == 0 ? "  [module]" : "");
}

static size_t rows_shown(const struct flat_view *view)
{
	return view->top > 0 && view->top < view->flat->count
		       ? view->top
		       : view->flat->count;
}

static int width_of_calls(const struct flat_view *view)
{
	uint64_t most = 0;
	int width;

	for (size_t i = 0; i < rows_shown(view); i++) {
		if (view->flat->rows[i].self.calls > most)
			most = view->flat->rows[i].self.calls;
	}
	width = (int)strlen(GROUPED(most)) + 1;
	return width > CALLS_MIN ? width : CALLS_MIN;
}

/* Returns the columns of the longest module behind a name. */
static unsigned int modules_width(const struct text_table *table)
{
	size_t longest = 0;

	for (size_t i = 0; i < table->shown; i++) {
		const struct catalog *catalog = &table->session->catalog;
		const uint32_t function = table->view->flat->rows[i].function;
		const size_t length =
			strlen(catalog_module_name(catalog, function));

		if (catalog->functions[function].kind != KIND_GROUP &&
		    length > longest)
			longest = length;
	}
	return longest ? (unsigned int)longest + 4 : 0;
}

/*
 * Chooses the columns of the table. If names have too little room, the range is
 * omitted first; then modules, which follow the names; then the total; then all
 * columns but the first two.
 */
static void choose_columns(struct text_table *table)
{
	const struct session *session = table->session;
	const unsigned int width = session->columns;
	unsigned int used = (unsigned int)table->calls_width;

	if (table->view->flat->has_copies)
		used += 16;
	if (session->metric == METRIC_TIME) {
		used += (unsigned int)table->amount_width + 8 + COLUMN + 3;
		if (timings_are_there(&session->tree.timings))
			used += 1 + 2 * COLUMN;
		if (table->view->flat->has_quantiles)
			used += 2 * COLUMN;
		table->is_narrow = text_is_narrow(width, used);
		if (table->is_narrow)
			used = (unsigned int)table->amount_width + 8 + 3;
		table->has_total = text_has_room(
			width, &used, (unsigned int)table->amount_width + 1);
		table->has_total_share = text_has_room(width, &used, 8);
		table->has_range =
			session->summary.samples > 0 &&
			(!width ||
			 used + 11 + TEXT_NAME_MIN + modules_width(table) <=
				 width);
		used += table->has_range ? 11 : 0;
	} else {
		used += 8 + 2;
		table->is_narrow = text_is_narrow(width, used + 2 * 9);
		used += table->is_narrow ? 0 : 2 * 9;
		table->has_contexts = text_has_room(width, &used, 12);
	}
	table->room = width > used ? (int)(width - used) : 0;
}

/* Chooses the names of all rows. */
static void add_names(const struct text_table *table)
{
	struct session *session = table->session;
	uint32_t *functions =
		memory_zeroed(table->shown + 1, sizeof(*functions));

	for (size_t i = 0; i < table->shown; i++)
		functions[i] = table->view->flat->rows[i].function;
	shown_names_add(&session->names, &session->catalog, functions,
			table->shown);
	free(functions);
}

/* Explains the question marks, with the sum of the times that they mark. */
static void write_too_fine(const struct text_table *table)
{
	uint64_t rows = 0, compensated_ns = 0, measured_ns = 0;

	for (size_t i = 0; i < table->shown; i++) {
		const struct flat_row *row = &table->view->flat->rows[i];

		if (table->session->metric != METRIC_TIME ||
		    !timing_is_too_fine(&table->session->tree.timings,
					row->function, &row->timing,
					row->self.ns))
			continue;
		rows++;
		compensated_ns += row->self.ns;
		measured_ns += row->timing.self_ns;
	}
	if (rows > 0)
		fprintf(table->out,
			"?: too short to be measured well: the self time of "
			"%s row%s sums up to %s, and is at most %s\n",
			GROUPED(rows), text_plural(rows),
			DURATION(compensated_ns), DURATION(measured_ns));
}

void text_table_init(struct text_table *table, struct session *session,
		     const struct flat_view *view)
{
	*table = (struct text_table){
		.session = session,
		.view = view,
		.shown = rows_shown(view),
		.calls_width = width_of_calls(view),
		.amount_width = text_amount_width(session),
	};
	choose_columns(table);
	text_begin_names(session, (unsigned int)table->room);
}

void text_table_heading(struct text_table *table, FILE *out)
{
	table->out = out;
	write_heading(table);
}

void text_table_row(struct text_table *table, FILE *out, size_t row)
{
	table->out = out;
	write_row(table, &table->view->flat->rows[row]);
}

void text_flat(FILE *out, struct session *session, const struct flat_view *view)
{
	const struct flat *flat = view->flat;
	struct text_table table;

	text_table_init(&table, session, view);
	add_names(&table);
	text_begin(out, session->has_color, STYLE_HEADING);
	text_table_heading(&table, out);
	fputc('\n', out);
	text_end(out, session->has_color, STYLE_HEADING);
	for (size_t i = 0; i < table.shown; i++) {
		text_table_row(&table, out, i);
		fputc('\n', out);
	}
	write_too_fine(&table);
	if (table.shown < flat->count)
		fprintf(out, "%15s %s more (-n 0 shows all)\n", "...",
			GROUPED(flat->count - table.shown));
	if (view->advises)
		text_jni(out, session, view->selection);
	text_summary(out, session);
}
