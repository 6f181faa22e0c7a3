/* SPDX-License-Identifier: MIT */
/*
 * The footer of a report: at most three lines, which say how much was counted,
 * which data is missing, and how far the result was checked.
 */
#include <string.h>

#include "base/display_text.h"
#include "report/recording/imported_reader.h"
#include "report/view/advice.h"
#include "report/write/missing.h"
#include "report/write/text_wrap.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

/* ---- Total ---- */

static const char *clock_text(const struct summary *summary)
{
	if (summary->time == SUMMARY_TIME_TRACE)
		return "wall time between stamps";
	if (recorded_times_differ(&summary->times))
		return "CPU time and wall time";
	return summary->time == WIRE_TIME_CPU ? "CPU time" : "wall time";
}

/* Writes "total", or the period that is shown. */
static void write_period(FILE *out, const struct session *session)
{
	if (session->from_ns == 0 && session->to_ns == 0)
		fputs("total", out);
	else
		fprintf(out, "from %s", text_duration(session->from_ns).text);
	if (session->to_ns > 0)
		fprintf(out, " to %s", text_duration(session->to_ns).text);
}

static void write_total(FILE *out, const struct session *session)
{
	const struct summary *summary = &session->summary;

	write_period(out, session);
	if (session->has_no_calls)
		fputs(": calls without times are not shown (record with "
		      "--trace)",
		      out);
	else if (summary->is_imported && summary->contexts == 0)
		fprintf(out, ": %s process%s", GROUPED(summary->processes),
			summary->processes == 1 ? "" : "es");
	else
		fprintf(out, ": %s call%s in %s context%s, %s process%s",
			GROUPED(summary->calls), text_plural(summary->calls),
			GROUPED(summary->contexts),
			text_plural(summary->contexts),
			GROUPED(summary->processes),
			summary->processes == 1 ? "" : "es");
	if (session->value)
		fprintf(out, "; %s: %s", session->value->name,
			text_amount(session, summary->time_ns).text);
	else if (summary->time_ns > 0)
		fprintf(out, "; %s of %s%s",
			text_duration(summary->time_ns).text,
			clock_text(summary),
			summary_is_guess(summary) ? ", shared equally by calls"
						  : "");
	fputc('\n', out);
	if (summary->is_imported)
		fprintf(out, "imported from %s: %s\n",
			import_format_text(summary->import_format),
			import_meaning(summary->import_flags));
}

/* ---- Missing data ---- */

/*
 * Writes the clauses that fit into `width`, and always the first one. Clauses
 * before index `problems` report damage; the others name missing data.
 */
static void write_clauses(FILE *out, const struct missing *clauses,
			  size_t problems, unsigned int width)
{
	enum { ROOM_FOR_REST = 10 }; /* columns for a text like "; 12 more" */
	size_t column = 0, i = 0;

	for (; i < clauses->count; i++) {
		const char *lead = i == 0 && problems   ? "problem: "
				   : i == problems && i ? "; missing: "
				   : i == 0             ? "missing: "
							: "; ";
		const size_t columns =
			strlen(lead) + strlen(clauses->items[i].text);

		if (i > 0 && width > 0 &&
		    column + columns + ROOM_FOR_REST > width)
			break;
		fprintf(out, "%s%s", lead, clauses->items[i].text);
		column += columns;
	}
	if (i < clauses->count)
		fprintf(out, "; %zu more", clauses->count - i);
	if (clauses->count > 0)
		fputc('\n', out);
}

static void write_missing(FILE *out, const struct session *session)
{
	struct missing missing;
	size_t problems = 0;

	missing_find(&missing, session);
	while (problems < missing.count &&
	       missing.items[problems].kind == MISSING_PROBLEM)
		problems++;
	write_clauses(out, &missing, problems, session->width);
	missing_fini(&missing);
}

/* ---- Checks ---- */

static void write_checked(FILE *out, const struct session *session)
{
	const struct summary *summary = &session->summary;
	const struct verdicts *calls = &summary->calls_verified;
	const struct verdicts *contexts = &summary->contexts_verified;
	const struct verdicts *stacks = &summary->stacks_verified;
	const uint64_t decided =
		verdicts_decided(calls) + verdicts_decided(contexts);

	fprintf(out, "%s call%s checked against the stack, %s wrong",
		GROUPED(decided), text_plural(decided),
		GROUPED(verdicts_wrong(calls) + verdicts_wrong(contexts)));
	if (verdicts_decided(stacks) > 0)
		fprintf(out, "; %s Java stack%s, %s wrong",
			GROUPED(verdicts_decided(stacks)),
			text_plural(verdicts_decided(stacks)),
			GROUPED(verdicts_wrong(stacks)));
	fputs(session->shows_details ? "\n" : " (more: --details)\n", out);
}

/* ---- */

static void write_advice(FILE *out, struct session *session)
{
	struct advice advice;

	advice_init(&advice, session);
	for (size_t i = 0; i < advice.count; i++)
		fprintf(out, "hint: %s\n", advice.sentences[i]);
	advice_fini(&advice);
}

void text_summary(FILE *out, struct session *session)
{
	struct text_wrap wrap;
	FILE *lines;

	if (session->is_quiet)
		return;
	lines = text_wrap_begin(&wrap);
	fputc('\n', lines);
	write_total(lines, session);
	write_missing(lines, session);
	if (!session->summary.is_imported)
		write_checked(lines, session);
	if (session->shows_details) {
		fputc('\n', lines);
		text_details(lines, session);
	}
	write_advice(lines, session);
	text_wrap_end(&wrap, lines, out, session->width);
}
