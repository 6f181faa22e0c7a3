/* SPDX-License-Identifier: MIT */
/* What `clew top` shows, and how: options say it first, then keys. */
#ifndef CLEW_CLI_SHOW_TOP_VIEW_H
#define CLEW_CLI_SHOW_TOP_VIEW_H

#include "report/live/live_rows.h"

/* No more than 0.5 % of a processor goes into looking. */
#define TOP_LEISURE 200

struct top_view {
	enum live_subject subject;
	enum live_key key;
	char filter[64];
	double delay_s;
	const char *output; /* where snapshots go */
};

/* After so long there is another look. */
static inline double top_delay_s(const struct top_view *view,
				 const struct live_counts *counts)
{
	const double leisure = (double)counts->cost_ns * TOP_LEISURE / 1e9;

	return leisure > view->delay_s ? leisure : view->delay_s;
}

#endif
