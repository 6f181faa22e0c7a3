/* SPDX-License-Identifier: MIT */
/* Settings of `clew top`: set by options, then by keys. */
#ifndef CLEW_CLI_SHOW_TOP_VIEW_H
#define CLEW_CLI_SHOW_TOP_VIEW_H

#include "report/live/live_rows.h"

/*
 * The next reading begins after at least 200 times the time that the last one
 * took, so reading takes at most 0.5 % of a processor.
 */
#define TOP_LEISURE 200

struct top_view {
	enum live_subject subject;
	enum live_key key;
	char filter[64];
	double delay_s;
	const char *output; /* Path for snapshots. */
};

/* Returns the seconds until the next reading. */
static inline double top_delay_s(const struct top_view *view,
				 const struct live_counts *counts)
{
	const double leisure = (double)counts->cost_ns * TOP_LEISURE / 1e9;

	return leisure > view->delay_s ? leisure : view->delay_s;
}

#endif
