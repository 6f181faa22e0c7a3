/* SPDX-License-Identifier: MIT */
/*
 * The cost of clew itself: before programs began, while they ran, and in its
 * own thread.
 */
#include <stdio.h>

#include "base/display_text.h"
#include "report/model/confidence.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

enum { DEAREST = 3 }; /* number of modules that are named */

/*
 * Writes, for example: clew itself: 25.3 ms of CPU time before the program
 * began (a.so 12.1 ms, ...), not included above
 */
static void write_start_cost(FILE *out, const struct hooking_costs *costs,
			     uint64_t processes)
{
	const char *between = " (";

	if (costs->start_ns == 0)
		return;
	fprintf(out, "clew itself: %s of CPU time before ",
		text_duration(costs->start_ns).text);
	if (processes == 1)
		fprintf(out, "the program began");
	else
		fprintf(out, "the programs of %s processes began",
			GROUPED(processes));
	for (size_t i = 0; i < costs->count && i < DEAREST; i++) {
		if (costs->items[i].before_ns == 0)
			continue;
		fprintf(out, "%s%s %s", between,
			text_basename(costs->items[i].path),
			text_duration(costs->items[i].before_ns).text);
		between = ", ";
	}
	fprintf(out, "%s, not included above\n", *between == ',' ? ")" : "");
}

/*
 * Writes the time of samples in clew's code. Their share refers to all samples,
 * those of the program and of clew.
 */
static void write_sampled(FILE *out, const struct summary *summary)
{
	const struct sampled own = sampled_alike((double)summary->clew_ns,
						 (double)summary->clew_samples);
	struct sampled all = { (double)summary->time_ns, summary->squares_ns2 };
	struct share_interval likely;

	if (!summary->shows_clew) {
		all.ns += own.ns;
		all.squares += own.squares;
	}
	if (summary->samples > 0 && all.ns > 0) {
		likely = confidence_part(own, all);
		fprintf(out,
			"clew itself: %s, %.1f %% (95 %%: %.1f-%.1f) of all "
			"time%s\n",
			text_duration(summary->clew_ns).text,
			100 * own.ns / all.ns, 100 * likely.low,
			100 * likely.high,
			summary->shows_clew ? "" : ", not included above");
	}
}

void text_self_cost(FILE *out, const struct session *session)
{
	const struct summary *summary = &session->summary;

	write_sampled(out, summary);
	write_start_cost(out, &session->hooking, summary->processes);
	if (summary->watch_ns > 0)
		fprintf(out,
			"clew itself: %s of CPU time in a thread of its own, "
			"not included above\n",
			text_duration(summary->watch_ns).text);
	if (summary->shows_clew)
		fprintf(out,
			"clew itself: %s for hooking before the program "
			"started; the recording has %s bytes\n",
			text_duration(summary->hook_ns).text,
			GROUPED(summary->recorded_bytes));
}
