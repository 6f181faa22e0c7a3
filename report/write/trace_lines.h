/* SPDX-License-Identifier: MIT */
/* What clew trace writes: the lines of calls (report/trace/call_lines.h). */
#ifndef CLEW_WRITE_TRACE_LINES_H
#define CLEW_WRITE_TRACE_LINES_H

#include <stdio.h>

#include "report/trace/call_lines.h"

/* Zero-initialise the rest; trace_output_fini() it. */
struct trace_output {
	FILE *out;
	const struct traces *traces;
	int has_color;
	uint32_t column; /* text: so far to the right is each thread's next to
			    the one before; 0: all at the margin */
	struct idmap columns; /* tid + 1 -> 1 + number */
	/* What was written. */
	uint64_t calls;
	uint64_t estimated; /* of these: their time is no stamp's */
	uint64_t bounded;   /* of these: nobody knows how long they took */
	uint64_t gaps[GAP_COUNT];
};

void trace_output_fini(struct trace_output *output);

void text_trace_heading(struct trace_output *output);
void text_trace_line(struct trace_output *output, const struct call_line *line);
/* How exact the times are, and what is missing. */
void text_trace_summary(struct trace_output *output);

/* An object a line. */
void json_trace_line(struct trace_output *output, const struct call_line *line);

/* For both: counts it. */
void trace_output_count(struct trace_output *output,
			const struct call_line *line);

/* In one word, for machines, or a few, for people. */
const char *call_ending_word(enum call_ending ending);
const char *call_gap_word(enum call_gap gap);
const char *call_gap_text(enum call_gap gap);
const char *call_clock_word(enum call_clock clock);

#endif
