/* SPDX-License-Identifier: MIT */
/* Output of clew trace for single calls (report/trace/call_lines.h). */
#ifndef CLEW_WRITE_TRACE_LINES_H
#define CLEW_WRITE_TRACE_LINES_H

#include <stdio.h>

#include "report/model/shown_names.h"
#include "report/trace/call_lines.h"

/*
 * The caller sets the members up to `width`, and all others to 0, and calls
 * trace_output_fini() afterwards. The caller may also set names.are_full.
 */
struct trace_output {
	FILE *out;
	const struct traces *traces;
	int has_color;
	/*
	 * for text: number of columns between consecutive threads; 0 if all are
	 * at the left margin
	 */
	uint32_t column;
	/* for text: number of columns of a line; 0 if it is unlimited */
	unsigned int width;
	struct shown_names names;
	/* maps 1 + a tid to 1 + the number of the thread */
	struct idmap columns;
	uint64_t calls; /* number of written calls */
	/* number of written calls without a time stamp of their own */
	uint64_t estimated;
	/* number of written calls for whose end only bounds are known */
	uint64_t bounded;
	uint64_t gaps[GAP_COUNT]; /* number of written gaps of each kind */
};

void trace_output_fini(struct trace_output *output);

void text_trace_heading(struct trace_output *output);
void text_trace_line(struct trace_output *output, const struct call_line *line);
/* Writes how exact the times are, and which data is missing. */
void text_trace_summary(struct trace_output *output);

/*
 * Write that older calls were overwritten, and how to retain more; nothing if
 * none were.
 */
void text_overwritten(const struct trace_output *output);
void json_overwritten(const struct trace_output *output);

/* Writes one JSON object as a line. */
void json_trace_line(struct trace_output *output, const struct call_line *line);

/* Counts a line. Both formats call this function. */
void trace_output_count(struct trace_output *output,
			const struct call_line *line);

/*
 * Return the name of a value. The words are for programs, the texts for users.
 */
const char *call_ending_word(enum call_ending ending);
const char *call_gap_word(enum call_gap gap);
const char *call_gap_text(enum call_gap gap);
const char *call_clock_word(enum call_clock clock);

#endif
