/* SPDX-License-Identifier: MIT */
/* A function with its callers and callees as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/write/text_rows.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

/* Returns whether the numbers of calls leave no room for names. */
static int is_narrow(const struct session *session)
{
	enum { SHARE = 9, CALLS = 16 };

	return session->metric == METRIC_TIME &&
	       text_is_narrow(session->columns,
			      (unsigned int)text_amount_width(session) + SHARE +
				      CALLS + 1);
}

static void write_numbers(FILE *out, const struct session *session,
			  const struct measure *measure,
			  const struct measure *all)
{
	enum metric metric = session->metric;
	uint64_t part = measure_of(measure, metric);
	uint64_t whole = measure_of(all, metric);

	if (metric == METRIC_TIME)
		fprintf(out, "%*s ", text_amount_width(session),
			text_amount(session, measure->ns).text);
	fprintf(out, "%6.2f%% ",
		whole ? 100 * (double)part / (double)whole : 0.0);
	if (!is_narrow(session))
		fprintf(out, "%15s ",
			measure->calls ? GROUPED(measure->calls) : "-");
	fputc(' ', out);
}

static void write_name(FILE *out, struct session *session, uint32_t function)
{
	if (function == FUNCTION_NONE)
		fputs("(start of a thread)", out);
	else
		text_function(out, session, function);
	text_module(out, session, function);
	text_place(out, session, function);
}

static void add_names(struct session *session,
		      const struct butterfly_view *view)
{
	const struct butterfly *butterfly = view->butterfly;
	const size_t all = butterfly->caller_count + butterfly->callee_count;
	uint32_t *functions = memory_zeroed(all + 1, sizeof(*functions));
	size_t count = 0;

	/* A caller or callee never has the function's own name. */
	functions[count++] = butterfly->function;
	for (size_t i = 0; i < butterfly->caller_count; i++)
		if (butterfly->callers[i].function != FUNCTION_NONE)
			functions[count++] = butterfly->callers[i].function;
	for (size_t i = 0; i < butterfly->callee_count; i++)
		functions[count++] = butterfly->callees[i].function;
	text_begin_names(session, 0);
	shown_names_add(&session->names, &session->catalog, functions, count);
	free(functions);
}

/*
 * Bins are one power of two apart in ticks. Bins that read the same are merged.
 */
static struct timing_bins readable_bins(const struct timings *timings,
					const struct timing_bins *bins)
{
	struct timing_bins readable = *bins;

	for (unsigned int i = 1; i < WIRE_BINS; i++) {
		const struct duration from =
			text_duration(timings_bin_ns(timings, i - 1));
		const struct duration to =
			text_duration(timings_bin_ns(timings, i));

		if (strcmp(from.text, to.text) != 0)
			continue;
		readable.calls[i] += readable.calls[i - 1];
		readable.calls[i - 1] = 0;
	}
	return readable;
}

/* Writes the bins from the first nonempty one to the last one, with bars. */
static void write_bins(FILE *out, const struct session *session,
		       const struct timing_bins *all)
{
	enum { BAR_MAX = 40 };
	const struct timings *timings = &session->tree.timings;
	const struct timing_bins readable = readable_bins(timings, all);
	const struct timing_bins *bins = &readable;
	unsigned int first = WIRE_BINS, last = 0;
	uint64_t most = 0;

	for (unsigned int i = 0; i < WIRE_BINS; i++) {
		if (bins->calls[i] == 0)
			continue;
		if (first == WIRE_BINS)
			first = i;
		last = i;
		if (bins->calls[i] > most)
			most = bins->calls[i];
	}
	for (unsigned int i = first; i <= last && most > 0; i++) {
		int length = (int)ceil(BAR_MAX * (double)bins->calls[i] /
				       (double)most);

		fprintf(out, "%9s or more %15s%s",
			text_duration(timings_bin_ns(timings, i)).text,
			GROUPED(bins->calls[i]), length ? "  " : "");
		while (length-- > 0)
			fputs(text_glyph("\u2588", "#"), out);
		fputc('\n', out);
	}
}

static void write_timing(FILE *out, const struct session *session,
			 const struct butterfly *butterfly)
{
	const struct timing *timing = &butterfly->timing;

	if (timing->ended == 0)
		return;
	fprintf(out, "\n%s measured call%s: min %s, mean %s, ",
		GROUPED(timing->ended), text_plural(timing->ended),
		text_duration(timing->min_ns).text,
		text_duration(timing->total_ns / timing->ended).text);
	fprintf(out, "max %s\n", text_duration(timing->max_ns).text);
	write_bins(out, session, &butterfly->bins);
}

static void write_edge(FILE *out, struct session *session,
		       const struct butterfly_row *row,
		       const struct measure *all)
{
	write_numbers(out, session, &row->edge, all);
	fputs("    ", out);
	write_name(out, session, row->function);
}

static void write_self(FILE *out, struct session *session,
		       const struct butterfly_view *view,
		       const struct measure *own)
{
	write_numbers(out, session, own, own);
	text_begin(out, session->has_color, STYLE_HEADING);
	if (view->name)
		fputs(view->name, out);
	else
		text_function(out, session, view->butterfly->function);
	text_end(out, session->has_color, STYLE_HEADING);
	if (session->metric == METRIC_TIME)
		fprintf(out, "  (self: %s)",
			text_amount(session, view->butterfly->self.ns).text);
}

void text_butterfly_heading(FILE *out, const struct session *session)
{
	if (session->metric == METRIC_TIME)
		fprintf(out, "%*s ", text_amount_width(session),
			session->value ? "total" : "time");
	fprintf(out, "%7s ", "share");
	if (!is_narrow(session))
		fprintf(out, "%15s ", "calls");
	fputs(" callers, the function, callees", out);
}

/* Shares refer to the function's time, or to the calls to and from it. */
void text_butterfly_row(FILE *out, struct session *session,
			const struct butterfly_view *view, size_t row)
{
	const struct butterfly *butterfly = view->butterfly;
	const size_t callers = butterfly->caller_count;
	const struct measure own = { .ns = butterfly->total.ns,
				     .calls = butterfly->self.calls };
	const struct measure from = { .ns = butterfly->total.ns,
				      .calls = butterfly->calls_made };

	if (row < callers)
		write_edge(out, session, &butterfly->callers[row], &own);
	else if (row == callers)
		write_self(out, session, view, &own);
	else
		write_edge(out, session, &butterfly->callees[row - callers - 1],
			   &from);
}

void text_butterfly(FILE *out, struct session *session,
		    const struct butterfly_view *view)
{
	const struct butterfly *butterfly = view->butterfly;
	const size_t rows =
		butterfly->caller_count + 1 + butterfly->callee_count;

	add_names(session, view);
	text_butterfly_heading(out, session);
	fputc('\n', out);
	for (size_t i = 0; i < rows; i++) {
		text_butterfly_row(out, session, view, i);
		fputc('\n', out);
	}
	write_timing(out, session, butterfly);
	text_summary(out, session);
}
