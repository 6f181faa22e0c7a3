/* SPDX-License-Identifier: MIT */
/* See top_table.h. */
#include "cli/show/top_table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/display_text.h"
#include "base/memory.h"

/* Returns calls per second, or 0 before the first interval. */
static uint64_t rate_of(const struct live_counts *counts, uint64_t calls)
{
	return counts->interval_ns ? (uint64_t)((double)calls * 1e9 /
						(double)counts->interval_ns)
				   : 0;
}

struct share_text {
	char text[16];
};

/*
 * Returns the share of one processor, as in top(1), or "-" without samples or
 * before the first interval.
 */
static struct share_text share_of(const struct live_counts *counts, uint64_t ns)
{
	struct share_text share = { "-" };

	if (counts->interval_ns && counts->has_time)
		snprintf(share.text, sizeof(share.text), "%.1f",
			 (double)ns * 100 / (double)counts->interval_ns);
	return share;
}

char *top_total_text(const struct live_counts *counts)
{
	return memory_printf(
		"%s calls/s, %s %% CPU and %s %% in clew, %s calls in %s "
		"contexts, %s lost",
		text_grouped(rate_of(counts, counts->total.new_calls)).text,
		share_of(counts, counts->total.self_ns).text,
		share_of(counts, counts->clew_ns).text,
		text_grouped(counts->total.calls).text,
		text_grouped(counts->context_count).text,
		text_grouped(counts->lost).text);
}

char *top_heading_text(const struct live_rows *rows)
{
	char *text = memory_printf("%13s %6s %6s %15s  %s", "CALLS/S", "SELF%",
				   "TOTAL%", "CALLS",
				   live_subject_text(rows->subject));

	for (char *c = text; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return text;
}

char *top_row_text(const struct live_rows *rows, struct live_counts *counts,
		   const struct live_row *row)
{
	const struct live_measure *measure = &row->measure;
	char *label = live_row_label(rows, counts, row);
	char *text = memory_printf(
		"%13s %6s %6s %15s  %s",
		text_grouped(rate_of(counts, measure->new_calls)).text,
		share_of(counts, measure->self_ns).text,
		share_of(counts, measure->total_ns).text,
		text_grouped(measure->calls).text, label);

	free(label);
	return text;
}
