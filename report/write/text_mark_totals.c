/* SPDX-License-Identifier: MIT */
/* The summary's lines about moments and regions. */
#include <stdlib.h>

#include "base/display_text.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

/* Writes lost marks, regions without an end, and ends without a begin. */
static void write_odd(FILE *out, const struct mark_list *marks)
{
	for (unsigned int i = 0; i < WIRE_MARK_LOSS_COUNT; i++)
		if (marks->lost[i])
			fprintf(out, "marks lost: %s, %s\n",
				GROUPED(marks->lost[i]), mark_loss_text(i));
	for (size_t i = 0; i < marks->count; i++) {
		const struct mark_sum *sum = &marks->sums[i];

		if (sum->open)
			fprintf(out, "%s: %s region%s not end\n", sum->name,
				GROUPED(sum->open),
				sum->open == 1 ? " did" : "s did");
		if (sum->ends)
			fprintf(out, "%s: %s end%s without a begin\n",
				sum->name, GROUPED(sum->ends),
				text_plural(sum->ends));
	}
}

void text_marks_summary(FILE *out, const struct session *session)
{
	const struct mark_list *marks = &session->marks;
	uint64_t moments = 0, regions = 0;
	char *command;

	if (marks->count == 0)
		return;
	for (size_t i = 0; i < marks->count; i++) {
		moments += marks->sums[i].moments;
		regions += marks->sums[i].regions;
	}
	command = session_report_command(session, "marks");
	fprintf(out,
		"marks: %s moment%s and %s region%s of %s name%s; %s shows "
		"them\n",
		GROUPED(moments), text_plural(moments), GROUPED(regions),
		text_plural(regions), GROUPED(marks->count),
		text_plural(marks->count), command);
	free(command);
	write_odd(out, marks);
}
