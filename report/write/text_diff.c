/* SPDX-License-Identifier: MIT */
/* The table of changes between two recordings as text. */
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

enum { CALLS_MIN = 12 }; /* width of the column "calls before" */

static int width_of(const struct session *session, enum metric metric)
{
	return metric == METRIC_TIME ? text_amount_width(session) : 15;
}

/* Writes a number of this metric with a leading sign. */
static void write_number(FILE *out, const struct session *session,
			 enum metric metric, const char *sign, uint64_t number)
{
	char text[48];

	snprintf(text, sizeof(text), "%s%s", sign,
		 metric == METRIC_TIME ? text_amount(session, number).text
				       : GROUPED(number));
	fprintf(out, "%*s ", width_of(session, metric), text);
}

/*
 * Writes "new", "gone" or the change as a percentage; an empty text if the
 * previous value was measured as 0.
 */
static void format_percent(const struct text_change *change, char *percent,
			   size_t bytes)
{
	*percent = '\0';
	if (!change->was_there && change->is_there)
		snprintf(percent, bytes, "new");
	else if (change->was_there && !change->is_there)
		snprintf(percent, bytes, "gone");
	else if (change->before > 0)
		snprintf(percent, bytes, "%+.1f%%",
			 100 * ((double)change->after / (double)change->before -
				1));
}

void text_change(FILE *out, const struct session *session, enum metric metric,
		 const struct text_change *change)
{
	uint64_t before = change->before, after = change->after;
	enum text_style style = after > before   ? STYLE_MORE
				: after < before ? STYLE_LESS
						 : STYLE_PLAIN;
	const char *sign = after > before ? "+" : after < before ? "-" : "";
	char percent[24];

	write_number(out, session, metric, "", before);
	write_number(out, session, metric, "", after);
	text_begin(out, session->has_color, style);
	write_number(out, session, metric, sign,
		     after > before ? after - before : before - after);
	format_percent(change, percent, sizeof(percent));
	fprintf(out, "%9s", percent);
	text_end(out, session->has_color, style);
	fputs(change->is_sure || before == after ? " " : "?", out);
}

void text_change_heading(FILE *out, const struct session *session,
			 enum metric metric)
{
	int width = width_of(session, metric);

	fprintf(out, "%*s %*s %*s %9s ", width, "before", width, "after", width,
		"change", "");
}

/* The columns before the names. */
struct diff_columns {
	unsigned int used; /* width of all of them */
	int has_calls;     /* whether a table of times has room for calls */
	int calls_width;   /* width of each of the two columns of calls */
};

/* Returns the columns for a number of calls. */
static int calls_width(const struct diff_view *view)
{
	uint64_t most = 0;
	int width;

	for (size_t i = 0; i < view->table->count; i++) {
		const struct diff_row *row = &view->table->rows[i];

		if (row->before.self.calls > most)
			most = row->before.self.calls;
		if (row->after.self.calls > most)
			most = row->after.self.calls;
	}
	width = (int)strlen(GROUPED(most));
	return width > CALLS_MIN ? width : CALLS_MIN;
}

static struct diff_columns columns_of(const struct session *session,
				      const struct diff_view *view)
{
	const enum metric metric =
		view->key == DIFF_CALLS ? METRIC_CALLS : METRIC_TIME;
	struct diff_columns columns = {
		.used = 3 * ((unsigned int)width_of(session, metric) + 1) + 9 +
			1 + 1,
	};

	if (view->key == DIFF_CALLS)
		return columns;
	columns.calls_width = calls_width(view);
	columns.has_calls =
		text_has_room(session->columns, &columns.used,
			      2 * ((unsigned int)columns.calls_width + 1));
	return columns;
}

void text_begin_changed_names(struct session *session,
			      const struct diff_view *view, unsigned int room)
{
	const struct diff_table *table = view->table;
	uint32_t *functions =
		memory_zeroed(table->count + 1, sizeof(*functions));
	size_t count = 0;

	for (size_t i = 0; i < table->count; i++)
		if (diff_has_change(&table->rows[i], view->key) &&
		    (view->top == 0 || count < view->top))
			functions[count++] = table->rows[i].function;
	text_begin_names(session, room);
	shown_names_add(&session->names, &session->catalog, functions, count);
	free(functions);
}

static void write_row(FILE *out, struct session *session,
		      const struct diff_view *view,
		      const struct diff_columns *columns,
		      const struct diff_row *row)
{
	enum metric metric =
		view->key == DIFF_CALLS ? METRIC_CALLS : METRIC_TIME;
	const uint64_t before = row->before.self.calls;
	const uint64_t after = row->after.self.calls;
	/*
	 * whether calls of the function were counted in any of the recordings
	 */
	const int has_calls = before > 0 || after > 0;

	text_change(out, session, metric,
		    &(struct text_change){
			    .before = diff_value(&row->before, view->key),
			    .after = diff_value(&row->after, view->key),
			    .was_there = row->before.function || !has_calls,
			    .is_there = row->after.function || !has_calls,
			    .is_sure = row->is_significant,
		    });
	if (columns->has_calls)
		fprintf(out, "%*s %*s ", columns->calls_width,
			has_calls ? GROUPED(before) : "-", columns->calls_width,
			has_calls ? GROUPED(after) : "-");
	fputc(' ', out);
	text_function(out, session, row->function);
	text_module(out, session, row->function);
	text_place(out, session, row->function);
	fputc('\n', out);
}

static void write_calls(FILE *out, const struct diff *diff, uint64_t before,
			uint64_t after)
{
	fputs("\ntotal: ", out);
	if (!diff->has_calls_before && !diff->has_calls_after)
		fputs("calls are unknown", out);
	else
		fprintf(out, "%s calls before, %s after",
			diff->has_calls_before ? GROUPED(before) : "unknown",
			diff->has_calls_after ? GROUPED(after) : "unknown");
}

static void write_totals(FILE *out, const struct session *session,
			 const struct diff *diff)
{
	const struct measure before = tree_below(&diff->before, TREE_ROOT);
	const struct measure after = tree_below(&diff->after, TREE_ROOT);

	write_calls(out, diff, before.calls, after.calls);
	if (before.ns > 0 || after.ns > 0)
		fprintf(out, "; %s%s%s before, %s after",
			session->value ? session->value->name : "",
			session->value ? ": " : "",
			text_amount(session, before.ns).text,
			text_amount(session, after.ns).text);
	fputc('\n', out);
}

void text_diff(FILE *out, struct session *session, const struct diff_view *view)
{
	const struct diff_table *table = view->table;
	const struct diff_columns columns = columns_of(session, view);
	size_t same = 0, other_calls = 0, shown = 0, unsure = 0;

	text_begin_changed_names(session, view,
				 session->columns > columns.used
					 ? session->columns - columns.used
					 : 0);
	text_begin(out, session->has_color, STYLE_HEADING);
	text_change_heading(out, session,
			    view->key == DIFF_CALLS ? METRIC_CALLS
						    : METRIC_TIME);
	if (columns.has_calls)
		fprintf(out, "%*s %*s ", columns.calls_width, "calls before",
			columns.calls_width, "calls after");
	fputs(" function  [module]\n", out);
	text_end(out, session->has_color, STYLE_HEADING);
	for (size_t i = 0; i < table->count; i++) {
		if (!diff_has_change(&table->rows[i], view->key)) {
			same++;
			other_calls +=
				diff_has_change(&table->rows[i], DIFF_CALLS);
			continue;
		}
		unsure += !table->rows[i].is_significant;
		if (view->top > 0 && shown == view->top)
			continue;
		shown++;
		write_row(out, session, view, &columns, &table->rows[i]);
	}
	if (shown + same < table->count)
		fprintf(out, "... %s more changed (-n 0 shows all)\n",
			GROUPED(table->count - shown - same));
	if (session->is_quiet)
		return;
	write_totals(out, session, view->diff);
	fprintf(out, "%s function%s without a change\n", GROUPED(same),
		text_plural(same));
	if (other_calls > 0)
		fprintf(out,
			"%s of them %s another number of calls "
			"(--sort=calls)\n",
			GROUPED(other_calls),
			other_calls == 1 ? "has" : "have");
	if (unsure > 0)
		fprintf(out,
			"?: %s change%s may be random, because %s sampled "
			"(at most 5 %% of the others are)\n",
			GROUPED(unsure), text_plural(unsure),
			session->value ? "values are" : "time is");
}
