/* SPDX-License-Identifier: MIT */
/* A comparison in GitHub's Markdown, for pull requests. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/write/gate_text.h"
#include "report/write/text_writer.h"

/*
 * Returns whether GitHub makes a link of the text around the character: it does
 * so at "https://" and at "www.", also in code.
 */
static int begins_link(const char *text, const char *at)
{
	return (at[0] == ':' && at[1] == '/') ||
	       (at[0] == '.' && at - text >= 3 &&
		strncasecmp(at - 3, "www", 3) == 0);
}

/*
 * Writes text as code. Names come from other users' files and contain <, | and
 * backquotes, so each special character is written as an HTML entity.
 */
static void write_code(FILE *out, const char *text)
{
	fputs("<code>", out);
	for (const char *at = text; *at; at++) {
		if (strchr("&<>|`*_[]\\~#@$", *at) || begins_link(text, at))
			fprintf(out, "&#%d;", *at);
		else
			fputc(*at, out);
	}
	fputs("</code>", out);
}

static void write_change(FILE *out, const struct session *session,
			 enum diff_key key, uint64_t before, uint64_t after)
{
	char *values[] = {
		gate_value(session, key, before),
		gate_value(session, key, after),
		gate_percent(before, after),
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		fprintf(out, " %s |", values[i]);
		free(values[i]);
	}
}

static void write_conditions(FILE *out, struct session *session,
			     const struct gate *gate)
{
	char *summary = gate_summary(gate);

	fprintf(out,
		"**clew: %s**\n\n"
		"| | condition | function | before | after | change |\n"
		"|---|---|---|---:|---:|---:|\n",
		summary);
	free(summary);
	for (size_t i = 0; i < gate->count; i++) {
		const struct gate_result *result = &gate->results[i];
		const int is_failed = result->state == GATE_FAILED;

		fprintf(out, "| %s%s%s | ", is_failed ? "**" : "",
			gate_state_text(result->state), is_failed ? "**" : "");
		write_code(out, result->condition->text);
		fputs(" | ", out);
		if (result->function)
			write_code(out, shown_name(&session->names,
						   &session->catalog,
						   result->function));
		else if (result->condition->function)
			write_code(out, result->condition->function);
		else
			fputs(result->condition->is_each ? "none" : "all", out);
		if (result->others > 0)
			fprintf(out, " and %s more",
				text_grouped(result->others).text);
		fputs(" |", out);
		write_change(out, session, result->condition->key,
			     result->before, result->after);
		fputc('\n', out);
	}
	fputc('\n', out);
}

/* Writes a cell; "-" if no calls of the function were counted. */
static void write_calls(FILE *out, uint64_t calls, int has_calls)
{
	fprintf(out, " %s |", has_calls ? text_grouped(calls).text : "-");
}

static void write_row(FILE *out, struct session *session,
		      const struct diff_view *view, const struct diff_row *row)
{
	const uint64_t before = row->before.self.calls;
	const uint64_t after = row->after.self.calls;
	const int has_calls = before > 0 || after > 0;

	fputs("| ", out);
	write_code(out, shown_name(&session->names, &session->catalog,
				   row->function));
	fputs(" | ", out);
	write_code(out, catalog_module_name(&session->catalog, row->function));
	fputs(" |", out);
	write_change(out, session, view->key,
		     diff_value(&row->before, view->key),
		     diff_value(&row->after, view->key));
	if (view->key != DIFF_CALLS) {
		fprintf(out, " %s |",
			row->is_significant ? "" : "may be chance");
		write_calls(out, before, has_calls);
		write_calls(out, after, has_calls);
	}
	fputc('\n', out);
}

static size_t count_changes(const struct diff_view *view)
{
	size_t changed = 0;

	for (size_t i = 0; i < view->table->count; i++)
		changed += (size_t)diff_has_change(&view->table->rows[i],
						   view->key);
	return changed;
}

static void write_changes(FILE *out, struct session *session,
			  const struct diff_view *view)
{
	static const char *const names[] = {
		[DIFF_SELF] = "own time",
		[DIFF_TOTAL] = "total time",
		[DIFF_CALLS] = "calls",
	};
	const size_t changed = count_changes(view);
	size_t shown = 0;

	fprintf(out, "<details><summary>%s of %s functions changed (",
		text_grouped(changed).text,
		text_grouped(view->table->count).text);
	if (session->value && view->key != DIFF_CALLS)
		write_code(out, session->value->name);
	else
		fputs(names[view->key], out);
	fputs(")</summary>\n\n", out);
	fprintf(out, "| function | module | before | after | change |%s\n",
		view->key == DIFF_CALLS ? ""
					: " | calls before | calls after |");
	fprintf(out, "|---|---|---:|---:|---:|%s\n",
		view->key == DIFF_CALLS ? "" : "---|---:|---:|");
	for (size_t i = 0; i < view->table->count; i++) {
		if (!diff_has_change(&view->table->rows[i], view->key))
			continue;
		if (view->top > 0 && shown == view->top)
			break;
		shown++;
		write_row(out, session, view, &view->table->rows[i]);
	}
	if (shown < changed)
		fprintf(out, "\n%s more changed.\n",
			text_grouped(changed - shown).text);
	fputs("\n</details>\n", out);
}

void markdown_diff(FILE *out, struct session *session,
		   const struct diff_view *view)
{
	text_begin_changed_names(session, view, 0);
	if (view->gate)
		write_conditions(out, session, view->gate);
	write_changes(out, session, view);
}
