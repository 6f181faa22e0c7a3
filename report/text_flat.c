/* SPDX-License-Identifier: MIT */
/*
 * The flat table as text. With time it is about time, else about calls: a
 * table of both would be too wide to read, and JSON has everything.
 */
#include <string.h>

#include "base/text.h"
#include "report/confidence.h"
#include "report/text.h"

#define GROUPED(number)  (text_grouped(number).text)
#define DURATION(number) (text_duration(number).text)

static double share_of(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0.0;
}

static void write_calls(FILE *out, const struct session *session,
			const struct flat_row *row)
{
	fprintf(out, "%15s %6.2f%% %11s %8s %8s  ", GROUPED(row->self.calls),
		100 * share_of(row->self.calls, session->summary.calls),
		GROUPED(row->contexts), GROUPED(row->callers),
		GROUPED(row->callees));
}

/* "43.2% +-1.1": where it was sampled, with how sure that is. */
static void write_share(FILE *out, const struct summary *summary, uint64_t ns)
{
	double share = share_of(ns, summary->time_ns);
	double error = confidence_share_error(share, summary->samples);

	fprintf(out, " %6.2f%%", 100 * share);
	if (summary->samples == 0)
		return;
	if (ns > 0)
		fprintf(out, " %s%-5.2f", text_glyph("\u00b1", "~"),
			100 * error);
	else
		fprintf(out, " %6s", "");
}

/* The shortest and the longest call, as measured. */
static void write_extremes(FILE *out, const struct timing *timing)
{
	fprintf(out, "%9s %9s ", timing->ended ? DURATION(timing->min_ns) : "-",
		timing->ended ? DURATION(timing->max_ns) : "-");
}

static void write_time(FILE *out, const struct session *session,
		       const struct flat_row *row)
{
	fprintf(out, "%9s", DURATION(row->self.ns));
	write_share(out, &session->summary, row->self.ns);
	fprintf(out, " %9s %6.2f%% %15s %9s ", DURATION(row->total.ns),
		100 * share_of(row->total.ns, session->summary.time_ns),
		row->self.calls ? GROUPED(row->self.calls) : "-",
		row->self.calls ? DURATION(flat_per_call_ns(row)) : "-");
	if (timings_are_there(&session->tree.timings))
		write_extremes(out, &row->timing);
	fputc(' ', out);
}

static void write_row(FILE *out, struct session *session,
		      const struct flat_row *row)
{
	const struct summary *summary = &session->summary;
	enum text_style heat =
		session->metric == METRIC_TIME
			? text_heat(share_of(row->self.ns, summary->time_ns))
			: text_heat(share_of(row->self.calls, summary->calls));

	if (session->metric == METRIC_TIME)
		write_time(out, session, row);
	else
		write_calls(out, session, row);
	text_begin(out, session->has_color, heat);
	text_function(out, session, row->function);
	text_end(out, session->has_color, heat);
	text_module(out, session, row->function);
	text_place(out, session, row->function);
	fputc('\n', out);
}

static void write_heading(FILE *out, const struct session *session,
			  const char *what)
{
	const char *module = strcmp(what, "function") == 0 ? "  [module]" : "";

	if (session->metric == METRIC_TIME)
		fprintf(out, "%9s %7s%s %9s %7s %15s %9s %s %s%s\n", "self",
			"share", session->summary.samples ? " 95%   " : "",
			"total", "share", "calls", "per call",
			timings_are_there(&session->tree.timings)
				? "      min       max "
				: "",
			what, module);
	else
		fprintf(out, "%15s %7s %11s %8s %8s  %s%s\n", "calls", "share",
			"contexts", "callers", "callees", what, module);
}

void text_flat(FILE *out, struct session *session, const struct flat_view *view)
{
	const struct flat *flat = view->flat;
	size_t shown = view->top > 0 && view->top < flat->count ? view->top
								: flat->count;

	text_begin(out, session->has_color, STYLE_HEADING);
	write_heading(out, session, view->what);
	text_end(out, session->has_color, STYLE_HEADING);
	for (size_t i = 0; i < shown; i++)
		write_row(out, session, &flat->rows[i]);
	if (shown < flat->count)
		fprintf(out, "%15s %s more (-n 0 shows all)\n", "...",
			GROUPED(flat->count - shown));
	text_summary(out, session);
}
