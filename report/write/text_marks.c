/* SPDX-License-Identifier: MIT */
/* The table of moments and regions that programs marked, by name. */
#include "base/display_text.h"
#include "report/write/text_writer.h"

#define GROUPED(number)  (text_grouped(number).text)
#define DURATION(number) (text_duration(number).text)

static void write_row(FILE *out, const struct mark_sum *sum)
{
	fprintf(out, "%11s %11s ", sum->moments ? GROUPED(sum->moments) : "-",
		sum->regions ? GROUPED(sum->regions) : "-");
	if (sum->regions)
		fprintf(out, "%9s %9s %9s %9s %9s %9s ",
			DURATION(sum->total_ns), DURATION(sum->self_ns),
			DURATION(sum->min_ns), DURATION(sum->median_ns),
			DURATION(sum->p99_ns), DURATION(sum->max_ns));
	else
		fprintf(out, "%9s %9s %9s %9s %9s %9s ", "-", "-", "-", "-",
			"-", "-");
	fprintf(out, " %s\n", sum->name);
}

void text_marks(FILE *out, struct session *session)
{
	const struct mark_list *marks = &session->marks;

	text_begin(out, session->has_color, STYLE_HEADING);
	fprintf(out, "%11s %11s %9s %9s %9s %9s %9s %9s  name\n", "moments",
		"regions", "total", "self", "min", "median", "p99", "max");
	text_end(out, session->has_color, STYLE_HEADING);
	for (size_t i = 0; i < marks->count; i++)
		write_row(out, &marks->sums[i]);
	text_summary(out, session);
}
