/* SPDX-License-Identifier: MIT */
/*
 * The calls of a trace as text:
 *
 *	      seconds   duration   thread  calls
 *	  0.000012345                 123  main() {
 *	 ~0.000012400     1.2 us      123    leaf();
 *	  0.000022345      10 us      123  } main
 *
 * The duration of an outer call is in the line of its `}`. Before a time, ~
 * marks an interpolated one and > a lower bound; before a duration, > marks a
 * lower bound.
 */
#include <inttypes.h>
#include <string.h>

#include "base/display_text.h"
#include "report/trace/call_duration.h"
#include "report/write/text_writer.h"
#include "report/write/trace_lines.h"

/* maximum number of indented levels; deeper ones start again at the margin */
enum { INDENTED_MAX = 40 };

void text_trace_heading(struct trace_output *output)
{
	text_begin(output->out, output->has_color, STYLE_HEADING);
	fprintf(output->out, "%15s %10s %8s  calls\n", "seconds", "duration",
		"thread");
	text_end(output->out, output->has_color, STYLE_HEADING);
}

static void write_time(struct trace_output *output,
		       const struct call_line *line)
{
	static const char marks[] = { [CLOCK_STAMPED] = ' ',
				      [CLOCK_INTERPOLATED] = '~',
				      [CLOCK_NOT_BEFORE] = '>' };
	enum call_clock clock;
	const uint64_t tsc = call_line_tsc(line, &clock);
	const uint64_t ns = clock_time_ns(&line->process->clock, tsc) -
			    output->traces->start_ns;
	char text[32];

	snprintf(text, sizeof(text), "%c%" PRIu64 ".%09" PRIu64, marks[clock],
		 ns / 1000000000, ns % 1000000000);
	fprintf(output->out, "%15s ", text);
}

static void write_duration(struct trace_output *output,
			   const struct call_line *line)
{
	const int is_end = line->kind == LINE_LEAF || line->kind == LINE_CLOSE;
	struct call_duration duration;
	char text[sizeof(struct duration) + 1] = "";

	if (is_end) {
		duration = call_duration(line->process, &line->event);
		snprintf(text, sizeof(text), "%s%s",
			 duration.has_most ? "" : ">",
			 text_duration(duration.has_most ? duration.most_ns
							 : duration.least_ns)
				 .text);
	}
	fprintf(output->out, "%10s ", text);
}

/*
 * Writes the thread's columns to the left, and the indentation of the call
 * below its callers.
 */
static void write_indentation(struct trace_output *output,
			      const struct call_line *line)
{
	const uint32_t levels = line->depth % INDENTED_MAX;
	uint64_t *column;

	if (output->column) {
		column = idmap_at(&output->columns, (uint64_t)line->tid + 1);
		if (!*column)
			*column = output->columns.used;
		fprintf(output->out, "%*s",
			(int)((*column - 1) * output->column), "");
	}
	if (line->depth > levels)
		fprintf(output->out, "[%" PRIu32 "] ", line->depth - levels);
	fprintf(output->out, "%*s", (int)levels * 2, "");
}

/*
 * Writes the name of the called function, with "()" unless it contains the
 * parameters.
 */
static void write_name(struct trace_output *output,
		       const struct call_line *line)
{
	const char *name = shown_name(&output->names, output->traces->catalog,
				      line->function);

	/* "a (= b)" */
	const char *others = strstr(name, " (= ");
	const size_t length = others ? (size_t)(others - name) : strlen(name);

	fprintf(output->out, "%.*s%s%s", (int)length, name,
		length > 0 && name[length - 1] == ')' ? "" : "()",
		name + length);
}

static void write_note(struct trace_output *output, const char *note)
{
	text_begin(output->out, output->has_color, STYLE_DIM);
	fputs(note, output->out);
	text_end(output->out, output->has_color, STYLE_DIM);
}

/* Writes unusual facts about a call after it. */
static void write_notes(struct trace_output *output,
			const struct call_line *line)
{
	static const char *const endings[] = {
		[CALL_RETURNED] = "",
		[CALL_LEFT] = "  (left: the stack has moved)",
		[CALL_CUT] = "  (cut off)",
		[CALL_OPEN] = "  (still running)",
	};
	const struct traced_call *call = &line->event.call;

	if (line->kind != LINE_CLOSE && call->is_tail)
		write_note(output, "  (tail)");
	if (line->kind != LINE_CLOSE && !call->begin_tsc)
		write_note(output, "  (began before)");
	if (line->kind == LINE_LEAF || line->kind == LINE_CLOSE)
		write_note(output, endings[line->event.ending]);
}

static void write_gap(struct trace_output *output, const struct call_line *line)
{
	text_begin(output->out, output->has_color, STYLE_WARM);
	fprintf(output->out, "--- %s", call_gap_text(line->event.gap));
	if (line->event.missing)
		fprintf(output->out, ", with %s contexts",
			text_grouped(line->event.missing).text);
	fputs(" ---", output->out);
	text_end(output->out, output->has_color, STYLE_WARM);
}

static void write_call(struct trace_output *output,
		       const struct call_line *line)
{
	if (line->kind == LINE_CLOSE) {
		fputs("} ", output->out);
		text_begin(output->out, output->has_color, STYLE_DIM);
		fputs(shown_name(&output->names, output->traces->catalog,
				 line->function),
		      output->out);
		text_end(output->out, output->has_color, STYLE_DIM);
	} else {
		write_name(output, line);
		fputs(line->kind == LINE_OPEN ? " {" : ";", output->out);
	}
	write_notes(output, line);
}

void text_trace_line(struct trace_output *output, const struct call_line *line)
{
	write_time(output, line);
	write_duration(output, line);
	fprintf(output->out, "%8" PRIu32 "  ", line->tid);
	write_indentation(output, line);
	if (line->kind == LINE_GAP)
		write_gap(output, line);
	else
		write_call(output, line);
	fputc('\n', output->out);
}

void text_overwritten(const struct trace_output *output)
{
	const uint64_t packets = traces_overwritten(output->traces);

	if (packets)
		fprintf(output->out,
			"missing: older calls (%s packet%s overwritten); "
			"record with a larger ring or --min-duration\n",
			text_grouped(packets).text, text_plural(packets));
}

void text_trace_summary(struct trace_output *output)
{
	const char *separator = "gaps: ";

	fprintf(output->out,
		"\ntotal: %s call%s; %s start times are interpolated between "
		"time stamps (~)\n",
		text_grouped(output->calls).text, text_plural(output->calls),
		text_grouped(output->estimated).text);
	if (output->bounded)
		fprintf(output->out,
			"%s return%s no exact time: the duration is an upper "
			"bound\n",
			text_grouped(output->bounded).text,
			output->bounded == 1 ? " has" : "s have");
	for (unsigned int gap = 0; gap < GAP_COUNT; gap++) {
		if (!output->gaps[gap])
			continue;
		fprintf(output->out, "%s%s (%s time%s)", separator,
			call_gap_text((enum call_gap)gap),
			text_grouped(output->gaps[gap]).text,
			text_plural(output->gaps[gap]));
		separator = ", ";
	}
	if (*separator == ',')
		fputc('\n', output->out);
}
