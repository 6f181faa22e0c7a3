/* SPDX-License-Identifier: MIT */
/*
 * The table of a poll: the functions that are called most, or take the most
 * time.
 */
#ifndef CLEW_LIVE_LIVE_ROWS_H
#define CLEW_LIVE_LIVE_ROWS_H

#include "report/live/live_counts.h"

enum live_subject {
	LIVE_FUNCTIONS,
	LIVE_CONTEXTS,
	LIVE_MODULES,
	LIVE_THREADS,
	LIVE_SUBJECT_COUNT
};

/* Rows without time are sorted by calls in the last interval. */
enum live_key {
	LIVE_BY_SELF,
	LIVE_BY_TOTAL,
	LIVE_BY_CALLS, /* by calls in the last interval */
	LIVE_BY_ALL_CALLS,
	LIVE_KEY_COUNT
};

struct live_row {
	uint32_t what; /* index of a function, context, module or tally */
	uint32_t part; /* part to which the context or tally belongs */
	struct live_measure measure;
};

struct live_rows {
	enum live_subject subject;
	struct live_row *items;
	size_t count;
};

/* Return the names of subjects and sort keys for users. */
const char *live_subject_text(enum live_subject subject);
const char *live_key_text(enum live_key key);

/*
 * Finds the rows whose label, or full name of a function, contains `filter`
 * (NULL: all) and that had calls or time since the process began, and sorts
 * them. Free with live_rows_fini().
 */
void live_rows_init(struct live_rows *rows, struct live_counts *counts,
		    enum live_subject subject, enum live_key key,
		    const char *filter);
void live_rows_fini(struct live_rows *rows);

/* Returns the text of a row, safe to print; the caller frees it. */
char *live_row_label(const struct live_rows *rows, struct live_counts *counts,
		     const struct live_row *row);

/*
 * Returns the function of a row of functions or contexts; else FUNCTION_NONE.
 */
uint32_t live_row_function(const struct live_rows *rows,
			   const struct live_counts *counts,
			   const struct live_row *row);

#endif
