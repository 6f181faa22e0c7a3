/* SPDX-License-Identifier: MIT */
/*
 * A function's source lines and instructions as text, with their costs.
 *
 * Instructions are in the order of addresses, below the source line that they
 * come from, and beside lines that connect jumps with their destinations. With
 * source only, lines are in the order of the file. Instructions far from any
 * cost are left out, unless all are requested.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/write/text_instruction.h"
#include "report/write/text_writer.h"

#define GROUPED(number)         (text_grouped(number).text)
#define AMOUNT(session, number) (text_amount(session, number).text)

enum {
	/* Number of rows that are shown before and after a row with a cost. */
	ROWS_AROUND = 8,
	/* Least number of consecutive rows that are left out. */
	HIDDEN_MIN = 8,
	/*
	 * Half of the maximum number of source lines without code that are
	 * shown between lines with code.
	 */
	LINES_AROUND = 4,
	CALLS_MIN_WIDTH = 7,
	TOTAL_WIDTH = 9,
	/*
	 * Maximum number of lines in each of the two lists before the
	 * instructions.
	 */
	HOTTEST_MAX = 5,
};

struct annotation_table {
	FILE *out;
	struct session *session;
	const struct annotation_view *view;
	const struct annotation *annotation;
	struct instruction_text text;
	int has_time, has_range;
	/* widths of columns; 0 if there is no such column */
	int total_width, calls_width;
	int vaddr_width;
};

/* ---- Costs ---- */

static double share_in(const struct annotation *annotation, uint64_t ns)
{
	return annotation->self.ns ? (double)ns / (double)annotation->self.ns
				   : 0;
}

/* Writes the columns of a cost, blank where it has none. */
static void write_cost(const struct annotation_table *table,
		       const struct code_cost *cost, uint64_t total_ns)
{
	FILE *out = table->out;
	struct share_interval likely;
	char range[32];

	if (table->has_time && cost->ns == 0)
		fprintf(out, "%*s", table->has_range ? 28 : 17, "");
	if (table->has_time && cost->ns > 0)
		fprintf(out, "%9s %6.2f%%", AMOUNT(table->session, cost->ns),
			100 * share_in(table->annotation, cost->ns));
	if (table->has_range && cost->ns > 0) {
		likely = annotation_share(table->annotation, cost);
		snprintf(range, sizeof(range), "%.1f-%.1f", 100 * likely.low,
			 100 * likely.high);
		fprintf(out, " %-10s", range);
	}
	if (table->total_width)
		fprintf(out, " %*s", table->total_width,
			total_ns ? AMOUNT(table->session, total_ns) : "");
	if (table->calls_width)
		fprintf(out, " %*s", table->calls_width,
			cost->calls ? GROUPED(cost->calls) : "");
	fputs("  ", out);
}

static void write_no_cost(const struct annotation_table *table)
{
	write_cost(table, &(struct code_cost){ 0 }, 0);
}

static void write_heading(const struct annotation_table *table,
			  const char *what)
{
	FILE *out = table->out;
	const int has_color = table->session->has_color;

	text_begin(out, has_color, STYLE_HEADING);
	if (table->has_time)
		fprintf(out, "%9s %7s", "self", "share");
	if (table->has_range)
		fprintf(out, " %-10s", "95% range");
	if (table->total_width)
		fprintf(out, " %*s", table->total_width, "total");
	if (table->calls_width)
		fprintf(out, " %*s", table->calls_width, "calls");
	fprintf(out, "  %s", what);
	text_end(out, has_color, STYLE_HEADING);
	fputc('\n', out);
}

static enum text_style heat_of(const struct annotation_table *table,
			       const struct code_cost *cost)
{
	return text_heat(share_in(table->annotation, cost->ns));
}

/*
 * Returns whether code is shown for its costs: its time, or its calls if these
 * are those of call sites, or if there is no time.
 */
static int is_worth_showing(const struct annotation_table *table,
			    uint64_t calls, uint64_t total_ns)
{
	const struct annotation *annotation = table->annotation;

	return total_ns > 0 || (calls > 0 && (annotation->has_call_sites ||
					      !annotation->total_ns));
}

/* ---- Source lines ---- */

/* Returns a name that is safe to print, which the caller frees. */
static char *printable(const char *text)
{
	return text_printable(memory_string(text, strlen(text)));
}

static const char *text_of(const struct annotation_table *table,
			   const char *file, uint32_t line)
{
	return source_line(source_files_find(table->view->sources,
					     &table->session->catalog,
					     table->annotation->module, file),
			   line);
}

/* Writes "file.c:12 in INLINED  TEXT". */
static void write_line(const struct annotation_table *table,
		       const struct annotated_line *line)
{
	char *file = printable(text_basename(line->file));
	char *inlined = line->inlined
				? text_shown_name(table->session, line->inlined)
				: NULL;
	const char *text = text_of(table, line->file, line->line);

	fprintf(table->out, "%s:%" PRIu32 "%s%s", file, line->line,
		inlined ? " in " : "", inlined ? inlined : "");
	if (text && *text)
		fprintf(table->out, "  %s", text + strspn(text, " "));
	free(file);
	free(inlined);
}

/* Returns the time by which lines are chosen. */
typedef uint64_t line_time(const struct annotated_line *line);

static uint64_t self_of(const struct annotated_line *line)
{
	return line->self.ns;
}

/*
 * Returns the time of the callees of a line. Inner calls of a recursion are in
 * the total of an outer line.
 */
static uint64_t callees_of(const struct annotated_line *line)
{
	return line->total_ns > line->own.ns ? line->total_ns - line->own.ns
					     : 0;
}

/*
 * Returns the line that follows `before` in descending order of time (NULL: the
 * first line). Lines with the same time are in the order of the list. NULL if
 * no further line has time.
 */
static const struct annotated_line *next_hottest(
	const struct annotation *annotation, line_time time_of,
	const struct annotated_line *before)
{
	const struct annotated_line *hottest = NULL;

	for (size_t i = 0; i < annotation->line_count; i++) {
		const struct annotated_line *line = &annotation->lines[i];
		const uint64_t ns = time_of(line);

		if (ns == 0 ||
		    (before && (ns > time_of(before) ||
				(ns == time_of(before) && line <= before))))
			continue;
		if (!hottest || ns > time_of(hottest))
			hottest = line;
	}
	return hottest;
}

static void write_hottest_lines(const struct annotation_table *table,
				const char *what, line_time time_of)
{
	const struct annotated_line *line =
		next_hottest(table->annotation, time_of, NULL);

	if (!line)
		return;
	write_heading(table, what);
	for (int i = 0; i < HOTTEST_MAX && line; i++) {
		const enum text_style heat = heat_of(table, &line->self);

		text_begin(table->out, table->session->has_color, heat);
		write_cost(table, &line->self, line->total_ns);
		write_line(table, line);
		text_end(table->out, table->session->has_color, heat);
		fputc('\n', table->out);
		line = next_hottest(table->annotation, time_of, line);
	}
}

static void write_all_hottest_lines(const struct annotation_table *table)
{
	write_hottest_lines(table, "lines with the most time of their own",
			    self_of);
	write_hottest_lines(table, "lines whose calls take the most time",
			    callees_of);
}

/* ---- Instructions ---- */

/*
 * Marks the rows to show: those near the first row or a cost, and short gaps
 * between these. Marks all rows if no other row than the first has a cost, or
 * if all are requested.
 */
static uint8_t *choose_rows(const struct annotation_table *table)
{
	const struct annotation *annotation = table->annotation;
	const size_t count = annotation->code.count;
	uint8_t *is_shown = memory_zeroed(count + 1, 1);
	size_t shown_to = 0; /* rows before this one are marked or hidden */
	int has_any = 0;

	for (size_t i = 0; i < count; i++) {
		size_t from, to;

		if (i > 0 &&
		    !is_worth_showing(table, annotation->rows[i].cost.calls,
				      annotation->rows[i].total_ns))
			continue;
		has_any |= i > 0;
		from = i > ROWS_AROUND ? i - ROWS_AROUND : 0;
		to = i + ROWS_AROUND < count ? i + ROWS_AROUND + 1 : count;
		if (from < shown_to + HIDDEN_MIN)
			from = shown_to;
		if (from < to)
			memset(is_shown + from, 1, to - from);
		shown_to = to;
	}
	if (count - shown_to < HIDDEN_MIN)
		memset(is_shown + shown_to, 1, count - shown_to);
	if (!has_any || table->view->shows_all)
		memset(is_shown, 1, count);
	return is_shown;
}

static void write_instruction(const struct annotation_table *table, size_t row)
{
	const struct annotation *annotation = table->annotation;
	const struct instruction *one = &annotation->code.items[row];
	const struct code_cost *cost = &annotation->rows[row].cost;
	const enum text_style heat = heat_of(table, cost);

	text_begin(table->out, table->session->has_color, heat);
	write_cost(table, cost, annotation->rows[row].total_ns);
	text_end(table->out, table->session->has_color, heat);
	fprintf(table->out, "  %*" PRIx64 "  ", table->vaddr_width, one->vaddr);
	text_instruction_arrows(&table->text, table->out, row);
	text_begin(table->out, table->session->has_color, heat);
	fputs(instruction_text(&annotation->code, one), table->out);
	text_end(table->out, table->session->has_color, heat);
	text_instruction_target(&table->text, table->out, row);
	fputc('\n', table->out);
}

/* Writes the source line of the rows from this one on, without a cost. */
static void write_row_line(const struct annotation_table *table, size_t row)
{
	const struct annotation *annotation = table->annotation;
	const uint32_t line = annotation->rows[row].line;
	const int has_color = table->session->has_color;

	write_no_cost(table);
	text_begin(table->out, has_color, STYLE_HEADING);
	if (line == NO_ITEM)
		fputs("(no source line)", table->out);
	else
		write_line(table, &annotation->lines[line]);
	text_end(table->out, has_color, STYLE_HEADING);
	fputc('\n', table->out);
}

/* Writes "... N instructions"; returns the row after the hidden ones. */
static size_t write_hidden(const struct annotation_table *table,
			   const uint8_t *is_shown, size_t row)
{
	const size_t count = table->annotation->code.count;
	const int has_color = table->session->has_color;
	size_t end = row;

	while (end < count && !is_shown[end])
		end++;
	write_no_cost(table);
	fprintf(table->out, "  %*s  ", table->vaddr_width, "...");
	text_instruction_lines(&table->text, table->out, row);
	text_begin(table->out, has_color, STYLE_DIM);
	fprintf(table->out, "%s instructions without time", GROUPED(end - row));
	text_end(table->out, has_color, STYLE_DIM);
	fputc('\n', table->out);
	return end;
}

/* Returns whether a gap in the addresses precedes the row. */
static int begins_range(const struct annotation *annotation, size_t row)
{
	const struct instruction *items = annotation->code.items;

	return row > 0 &&
	       items[row].vaddr != items[row - 1].vaddr + items[row - 1].bytes;
}

static void write_instructions(const struct annotation_table *table)
{
	const struct annotation *annotation = table->annotation;
	const int with_lines =
		!table->view->is_code_only && annotation->line_count > 0;
	uint8_t *is_shown = choose_rows(table);
	size_t hidden = 0, i = 0;
	uint32_t line = NO_ITEM;

	write_heading(table, with_lines ? "source line, address, instruction"
					: "address, instruction");
	while (i < annotation->code.count) {
		if (begins_range(annotation, i))
			fputc('\n', table->out);
		if (!is_shown[i]) {
			const size_t next = write_hidden(table, is_shown, i);

			hidden += next - i;
			i = next;
			line = NO_ITEM;
			continue;
		}
		if (with_lines && (i == 0 || annotation->rows[i].line != line ||
				   !is_shown[i - 1]))
			write_row_line(table, i);
		line = annotation->rows[i].line;
		write_instruction(table, i);
		i++;
	}
	if (hidden > 0)
		fprintf(table->out, "%s instructions are not shown (--all)\n",
			GROUPED(hidden));
	if (annotation->code.is_cut)
		fputs("the rest of the function's code is not shown: it "
		      "exceeds 4 MiB\n",
		      table->out);
	free(is_shown);
}

/* ---- Source only ---- */

static void write_source_line(const struct annotation_table *table,
			      const char *file, uint32_t number,
			      const struct annotated_line *line)
{
	const struct code_cost none = { 0 };
	const struct code_cost *cost = line ? &line->own : &none;
	const uint64_t total_ns = line ? line->total_ns : 0;
	const char *text = text_of(table, file, number);
	const enum text_style heat = heat_of(table, cost);

	text_begin(table->out, table->session->has_color, heat);
	write_cost(table, cost, total_ns);
	fprintf(table->out, "%6" PRIu32 "%s%s", number,
		text && *text ? "  " : "", text ? text : "");
	text_end(table->out, table->session->has_color, heat);
	fputc('\n', table->out);
}

static int is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Writes the name of the file, and the inlined function to which it belongs. */
static void write_file(const struct annotation_table *table,
		       const struct annotated_line *line)
{
	char *file = printable(line->file);
	char *inlined = line->inlined
				? text_shown_name(table->session, line->inlined)
				: NULL;

	write_no_cost(table);
	text_begin(table->out, table->session->has_color, STYLE_HEADING);
	if (inlined)
		fprintf(table->out, "%s (inlined), %s", inlined, file);
	else
		fputs(file, table->out);
	text_end(table->out, table->session->has_color, STYLE_HEADING);
	fputc('\n', table->out);
	free(file);
	free(inlined);
}

static int has_cost(const struct annotation_table *table,
		    const struct annotated_line *line)
{
	return is_worth_showing(table, line->own.calls, line->total_ns);
}

/* Returns the end of the lines of one file and one inlined function. */
static size_t group_end(const struct annotation *annotation, size_t first)
{
	const struct annotated_line *lines = annotation->lines;
	size_t end = first + 1;

	while (end < annotation->line_count &&
	       strcmp(lines[end].file, lines[first].file) == 0 &&
	       is_same_text(lines[end].inlined, lines[first].inlined))
		end++;
	return end;
}

static int group_has_cost(const struct annotation_table *table, size_t first,
			  size_t end)
{
	for (size_t i = first; i < end; i++)
		if (has_cost(table, &table->annotation->lines[i]))
			return 1;
	return 0;
}

static void write_group(const struct annotation_table *table, size_t first,
			size_t end)
{
	const struct annotated_line *lines = table->annotation->lines;
	uint32_t next = lines[first].line;

	write_file(table, &lines[first]);
	for (size_t i = first; i < end; i++) {
		if (lines[i].line - next > LINES_AROUND * 2) {
			write_no_cost(table);
			fprintf(table->out, "%6s\n", "...");
			next = lines[i].line;
		}
		while (next < lines[i].line)
			write_source_line(table, lines[i].file, next++, NULL);
		write_source_line(table, lines[i].file, next++, &lines[i]);
	}
}

static void write_source(const struct annotation_table *table)
{
	const struct annotation *annotation = table->annotation;
	size_t end;

	write_heading(table, "line, source");
	for (size_t first = 0; first < annotation->line_count; first = end) {
		end = group_end(annotation, first);
		if (table->view->shows_all ||
		    !annotation->lines[first].inlined ||
		    group_has_cost(table, first, end))
			write_group(table, first, end);
	}
}

/* ---- A function ---- */

static void write_title(const struct annotation_table *table)
{
	const struct annotation *annotation = table->annotation;
	struct session *session = table->session;
	const struct measure *self = &annotation->self;
	char *name = text_subject(session, annotation->function);
	FILE *out = table->out;

	text_begin(out, session->has_color, STYLE_HEADING);
	fprintf(out, "%s%s", name,
		session->catalog.functions[annotation->function].kind ==
				KIND_INLINED
			? SHOWN_INLINED
			: "");
	text_end(out, session->has_color, STYLE_HEADING);
	free(name);
	text_module(out, session, annotation->function);
	fputs(": ", out);
	if (self->calls > 0)
		fprintf(out, "%s call%s, ", GROUPED(self->calls),
			text_plural(self->calls));
	if (self->ns > 0)
		fprintf(out, "%s self (%.2f%% of all %s)",
			AMOUNT(session, self->ns),
			100 * (double)self->ns /
				(double)session->summary.time_ns,
			session->value ? session->value->name : "time");
	else
		fprintf(out, "no %s of its own",
			session->value ? session->value->name : "time");
	if (self->ns > 0 && !session->value)
		fprintf(out, ", %s sample%s", GROUPED(self->samples),
			text_plural(self->samples));
	if (annotation->total_ns > self->ns)
		fprintf(out, ", %s total",
			AMOUNT(session, annotation->total_ns));
	fputc('\n', out);
}

/*
 * Names the files that are newer than the module. Reports how many files have
 * no text, with the reason of the first one.
 */
static void write_file_notes(const struct annotation_table *table)
{
	const struct annotation *annotation = table->annotation;
	const char *before = NULL, *why = NULL;
	size_t missing = 0;

	for (size_t i = 0; i < annotation->line_count; i++) {
		const struct annotated_line *line = &annotation->lines[i];
		const struct source_file *file;

		if (is_same_text(before, line->file) ||
		    (line->inlined && !has_cost(table, line)))
			continue;
		before = line->file;
		file = source_files_find(table->view->sources,
					 &table->session->catalog,
					 annotation->module, line->file);
		if (file->is_newer)
			fprintf(table->out,
				"%s is newer than the module: lines may "
				"differ from the recorded ones\n",
				file->path);
		missing += file->why != NULL && file->why != why;
		why = why ? why : file->why;
	}
	if (missing > 1)
		fprintf(table->out,
			"no source text of %zu files (--source-path, "
			"DEBUGINFOD_URLS); the first: %s\n",
			missing, why);
	else if (missing > 0)
		fprintf(table->out,
			"no source text (--source-path, DEBUGINFOD_URLS): %s\n",
			why);
}

/* Says why debug information is missing, if some is. */
static void write_debug_note(const struct annotation_table *table)
{
	const struct annotation *annotation = table->annotation;
	struct catalog *catalog = &table->session->catalog;
	const struct a2n_module *symbols;
	struct a2n_module_info info;
	char *reason;

	if (annotation->module == CATALOG_NO_MODULE)
		return;
	symbols =
		catalog_symbols(catalog, &catalog->modules[annotation->module]);
	if (!symbols)
		return;
	a2n_module_info(symbols, &info);
	if (!info.reason)
		return;
	reason = printable(info.reason);
	fprintf(table->out, "%s: %s\n",
		annotation->line_count > 0 ? "debug information"
					   : "no source lines",
		reason);
	free(reason);
}

static void write_notes(const struct annotation_table *table)
{
	const struct annotation *annotation = table->annotation;
	const struct session *session = table->session;
	const int has_sites = annotation->has_call_sites;

	if (annotation->why && !table->view->is_source_only) {
		char *why = printable(annotation->why);

		fprintf(table->out, "no instructions: %s\n", why);
		free(why);
	}
	if (!table->view->is_code_only) {
		write_debug_note(table);
		write_file_notes(table);
	}
	if (annotation->unplaced_ns > 0)
		fprintf(table->out, "%s of the %s no address\n",
			AMOUNT(session, annotation->unplaced_ns),
			session->value ? "numbers have" : "time has");
	if (annotation->unplaced_calls_ns > 0)
		fprintf(table->out,
			"%s of the total is in calls whose line is unknown\n",
			AMOUNT(session, annotation->unplaced_calls_ns));
	if (table->total_width || (table->calls_width && !has_sites))
		fprintf(table->out,
			"%s: a called function counts at the line of its "
			"first call in each context\n",
			!table->calls_width || has_sites ? "total"
			: table->total_width             ? "total, calls"
							 : "calls");
}

static int width_of_calls(const struct annotation *annotation)
{
	uint64_t most = 0;
	int width;

	for (size_t i = 0; i < annotation->line_count; i++)
		if (annotation->lines[i].own.calls > most)
			most = annotation->lines[i].own.calls;
	for (size_t i = 0; i < annotation->code.count; i++)
		if (annotation->rows[i].cost.calls > most)
			most = annotation->rows[i].cost.calls;
	width = (int)strlen(GROUPED(most));
	if (most == 0)
		return 0;
	return width > CALLS_MIN_WIDTH ? width : CALLS_MIN_WIDTH;
}

/*
 * Chooses the columns. The number of calls of each call site is always shown.
 * Other numbers of calls, and then the range, are shown only if the remaining
 * room suffices.
 */
static void choose_columns(struct annotation_table *table)
{
	const struct annotation *annotation = table->annotation;
	const unsigned int width = table->session->columns;
	const int calls_width = width_of_calls(annotation);
	unsigned int used = 2;

	table->has_time = annotation->self.samples > 0;
	used += table->has_time ? 17 : 0;
	/* Without callees the total of a line is its own time. */
	table->total_width = annotation->has_callees ? TOTAL_WIDTH : 0;
	used += (unsigned int)table->total_width;
	if (annotation->has_call_sites ||
	    text_has_room(width, &used, (unsigned int)calls_width + 1))
		table->calls_width = calls_width;
	table->has_range = table->has_time && text_has_room(width, &used, 11);
}

static void write_function(FILE *out, struct session *session,
			   const struct annotation_view *view,
			   const struct annotation *annotation)
{
	struct annotation_table table = {
		.out = out,
		.session = session,
		.view = view,
		.annotation = annotation,
		.text = { .session = session,
			  .annotation = annotation,
			  .is_utf8 = text_glyph("1", "")[0] != '\0' },
		.vaddr_width = 4,
	};
	const size_t count = annotation->code.count;

	choose_columns(&table);
	if (count > 0)
		table.vaddr_width =
			snprintf(NULL, 0, "%" PRIx64,
				 annotation->code.items[count - 1].vaddr);
	text_begin_names(session, 0);
	write_title(&table);
	if (count > 0 && !view->is_source_only) {
		if (!view->is_code_only)
			write_all_hottest_lines(&table);
		jump_arrows_init(&table.text.arrows, &annotation->code);
		write_instructions(&table);
		jump_arrows_fini(&table.text.arrows);
	} else if (annotation->line_count > 0 && !view->is_code_only) {
		write_source(&table);
	}
	write_notes(&table);
}

void text_annotation(FILE *out, struct session *session,
		     const struct annotation_view *view)
{
	for (size_t i = 0; i < view->count; i++) {
		if (i > 0)
			fputc('\n', out);
		write_function(out, session, view, &view->items[i]);
	}
	if (view->omitted > 0)
		fprintf(out,
			"\nfunctions of this name that are not shown: %s (-n 0 "
			"shows all)\n",
			GROUPED(view->omitted));
}
