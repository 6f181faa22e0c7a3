/* SPDX-License-Identifier: MIT */
/* The slowest calls, and durations, as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/write/text_writer.h"
#include "report/write/trace_calls.h"

enum { BAR_MAX = 50 };

const double latency_shares[] = { .5, .9, .99, .999, 0 };

/* ---- The slowest calls ---- */

void text_slow_call(struct trace_output *output,
		    const struct function_call *call, size_t rank)
{
	const struct call_duration *duration = &call->duration;
	const uint64_t began =
		clock_time_ns(&call->process->clock, call->end.call.seen_tsc) -
		output->traces->start_ns;
	char most[sizeof(struct duration)] = "";

	if (duration->has_most)
		snprintf(most, sizeof(most), "%s",
			 text_duration(duration->most_ns).text);
	fprintf(output->out,
		"%4zu %10s %10s %5" PRIu64 ".%09" PRIu64 " %8" PRIu32 "  %s",
		rank, most, text_duration(duration->least_ns).text,
		began / 1000000000, began % 1000000000, call->end.tid,
		shown_name(&output->names, output->traces->catalog,
			   call->function));
	if (call->end.ending != CALL_RETURNED)
		fprintf(output->out, "  (%s)",
			call_ending_word(call->end.ending));
}

void text_slow_heading(const struct trace_output *output)
{
	fprintf(output->out, "%4s %10s %10s %15s %8s  function", "", "at most",
		"at least", "seconds", "thread");
}

static void write_line(void *context, const struct call_line *line)
{
	text_trace_line(context, line);
}

void text_slow_calls(struct trace_output *output, const struct slow_calls *slow,
		     uint32_t levels)
{
	text_begin(output->out, output->has_color, STYLE_HEADING);
	text_slow_heading(output);
	fputc('\n', output->out);
	text_end(output->out, output->has_color, STYLE_HEADING);
	for (size_t i = 0; i < slow->count; i++) {
		text_slow_call(output, &slow->items[i], i + 1);
		if (slow_calls_is_cause(slow, &slow->items[i]))
			fputs("  <- this snapshot", output->out);
		fputc('\n', output->out);
		if (!levels)
			continue;
		fputc('\n', output->out);
		function_call_lines(output->traces, &slow->items[i], levels,
				    write_line, output);
		fputc('\n', output->out);
	}
	fprintf(output->out, "%stotal: the slowest %s of %s call%s\n",
		levels ? "" : "\n", text_grouped(slow->count).text,
		text_grouped(slow->all).text, text_plural(slow->all));
}

/* ---- Durations of all calls ---- */

static void write_row(struct trace_output *output, const char *what,
		      uint64_t least_ns, uint64_t most_ns)
{
	fprintf(output->out, "%8s %10s %10s\n", what,
		text_duration(least_ns).text, text_duration(most_ns).text);
}

static uint64_t mean_of(const struct latencies *latencies)
{
	return latencies->count
		       ? (uint64_t)(latencies->sum_ns / latencies->count)
		       : 0;
}

static void write_table(struct trace_output *output,
			const struct call_latencies *latencies)
{
	const struct latencies *least = &latencies->least;
	const struct latencies *most = &latencies->most;
	char share[16];

	text_begin(output->out, output->has_color, STYLE_HEADING);
	fprintf(output->out, "%8s %10s %10s\n", "", "at least", "at most");
	text_end(output->out, output->has_color, STYLE_HEADING);
	write_row(output, "min", least->min_ns, most->min_ns);
	for (const double *next = latency_shares; *next > 0; next++) {
		snprintf(share, sizeof(share), "%g %%", *next * 100);
		write_row(output, share, latencies_quantile(least, *next),
			  latencies_quantile(most, *next));
	}
	write_row(output, "max", least->max_ns, most->max_ns);
	write_row(output, "mean", mean_of(least), mean_of(most));
}

static void write_bars(struct trace_output *output,
		       const struct latencies *latencies)
{
	uint64_t highest = 1, count;

	for (unsigned int bit = 0; bit <= 64; bit++) {
		count = latencies_octave(latencies, bit);
		if (count > highest)
			highest = count;
	}
	for (unsigned int bit = 0; bit < 64; bit++) {
		count = latencies_octave(latencies, bit);
		if (!count)
			continue;
		fprintf(output->out, "< %8s %15s ",
			text_duration(UINT64_C(1) << bit).text,
			text_grouped(count).text);
		for (uint64_t i = 0; i * highest < count * BAR_MAX; i++)
			fputc('#', output->out);
		fputc('\n', output->out);
	}
}

void text_latencies(struct trace_output *output,
		    const struct call_latencies *latencies)
{
	fprintf(output->out, "%s: %s call%s", latencies->name,
		text_grouped(latencies->most.count).text,
		text_plural(latencies->most.count));
	if (latencies->unknown)
		fprintf(output->out, "; %s more have no known beginning or end",
			text_grouped(latencies->unknown).text);
	fputs("\n\n", output->out);
	if (!latencies->most.count)
		return;
	write_table(output, latencies);
	fputs("\nat most:\n", output->out);
	write_bars(output, &latencies->most);
}

/* ---- Durations by function ---- */

enum { LATENCY_COLUMN = 11, CALLS_MIN = 7 };

struct latency_columns text_latency_columns(
	const struct trace_output *output, const struct function_latencies *all,
	size_t shown)
{
	/* the order of the columns: the median, 99 % and so on */
	static const int order[] = { 0, 2, 3, 1 };
	struct latency_columns columns = { 0 };
	uint64_t most = 0;
	unsigned int used;

	for (size_t i = 0; i < shown; i++)
		if (all->sorted[i]->most.count > most)
			most = all->sorted[i]->most.count;
	columns.calls_width = (int)strlen(text_grouped(most).text);
	if (columns.calls_width < CALLS_MIN)
		columns.calls_width = CALLS_MIN;
	/* includes the maximum, and two blanks */
	used = (unsigned int)columns.calls_width + LATENCY_COLUMN + 2;
	for (size_t i = 0; i < 2; i++)
		columns.has_share[order[i]] =
			text_has_room(output->width, &used, LATENCY_COLUMN);
	columns.has_total = text_has_room(output->width, &used, LATENCY_COLUMN);
	for (size_t i = 2; i < 4; i++)
		columns.has_share[order[i]] =
			text_has_room(output->width, &used, LATENCY_COLUMN);
	return columns;
}

void text_latency_row(struct trace_output *output,
		      const struct latency_columns *columns,
		      const struct call_latencies *one)
{
	const struct latencies *most = &one->most;

	fprintf(output->out, "%*s", columns->calls_width,
		text_grouped(most->count).text);
	for (size_t i = 0; latency_shares[i] > 0; i++)
		if (columns->has_share[i])
			fprintf(output->out, " %10s",
				text_duration(latencies_quantile(
						      most, latency_shares[i]))
					.text);
	fprintf(output->out, " %10s", text_duration(most->max_ns).text);
	if (columns->has_total)
		fprintf(output->out, " %10s",
			text_duration((uint64_t)most->sum_ns).text);
	fprintf(output->out, "  %s",
		shown_name(&output->names, output->traces->catalog,
			   one->function));
}

void text_latency_heading(const struct trace_output *output,
			  const struct latency_columns *columns)
{
	fprintf(output->out, "%*s", columns->calls_width, "calls");
	for (size_t i = 0; latency_shares[i] > 0; i++)
		if (columns->has_share[i])
			fprintf(output->out, " %8g %%",
				latency_shares[i] * 100);
	fprintf(output->out, " %10s", "max");
	if (columns->has_total)
		fprintf(output->out, " %10s", "total");
	fputs("  function (at most)", output->out);
}

/* Chooses the names of the rows. */
static void add_names(struct trace_output *output,
		      const struct function_latencies *all, size_t shown)
{
	uint32_t *functions = memory_zeroed(shown + 1, sizeof(*functions));

	for (size_t i = 0; i < shown; i++)
		functions[i] = all->sorted[i]->function;
	shown_names_add(&output->names, output->traces->catalog, functions,
			shown);
	free(functions);
}

void text_all_latencies(struct trace_output *output,
			const struct function_latencies *all, size_t top)
{
	const size_t shown = top && top < all->count ? top : all->count;
	const struct latency_columns columns =
		text_latency_columns(output, all, shown);
	uint64_t unknown = 0;

	add_names(output, all, shown);
	text_begin(output->out, output->has_color, STYLE_HEADING);
	text_latency_heading(output, &columns);
	fputc('\n', output->out);
	text_end(output->out, output->has_color, STYLE_HEADING);
	for (size_t i = 0; i < shown; i++) {
		text_latency_row(output, &columns, all->sorted[i]);
		fputc('\n', output->out);
	}
	for (size_t i = 0; i < all->count; i++)
		unknown += all->sorted[i]->unknown;
	if (shown < all->count)
		fprintf(output->out, "\n%s of %s functions\n",
			text_grouped(shown).text,
			text_grouped(all->count).text);
	if (unknown)
		fprintf(output->out,
			"\nnot included: %s call%s whose beginning or end is "
			"not known\n",
			text_grouped(unknown).text, text_plural(unknown));
}
