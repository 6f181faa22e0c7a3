/* SPDX-License-Identifier: MIT */
/* The table of `clew top` as text, for a screen or a stream: a row a line. */
#ifndef CLEW_CLI_SHOW_TOP_TABLE_H
#define CLEW_CLI_SHOW_TOP_TABLE_H

#include "cli/show/top_target.h"
#include "report/live/live_rows.h"

/* All of these are to be freed. */

/* How much is called, and how long, in all. */
char *top_total_text(const struct live_counts *counts);

/* What the columns are, and a row of them. */
char *top_heading_text(const struct live_rows *rows);
char *top_row_text(const struct live_rows *rows, struct live_counts *counts,
		   const struct live_row *row);

#endif
