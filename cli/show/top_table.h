/* SPDX-License-Identifier: MIT */
/* The table of `clew top` as text, one line for each row. */
#ifndef CLEW_CLI_SHOW_TOP_TABLE_H
#define CLEW_CLI_SHOW_TOP_TABLE_H

#include "cli/show/top_target.h"
#include "report/live/live_rows.h"

enum {
	TOP_NAME_AT = 45, /* column of names in rows */
	TOP_NAME_MIN = 30,
};

/* The caller frees these texts. */

/* Returns the totals of calls and time. */
char *top_total_text(const struct live_counts *counts);

/* Return the column headings, and a row. */
char *top_heading_text(const struct live_rows *rows);
char *top_row_text(const struct live_rows *rows, struct live_counts *counts,
		   const struct live_row *row);

#endif
