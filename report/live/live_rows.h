/* SPDX-License-Identifier: MIT */
/* The table of a look: what is called most, or takes the most time, now. */
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

enum live_key {
	LIVE_BY_CALLS, /* of the interval */
	LIVE_BY_SELF,
	LIVE_BY_TOTAL,
	LIVE_BY_ALL_CALLS,
	LIVE_KEY_COUNT
};

struct live_row {
	uint32_t what; /* function, context, module or tally: an index */
	struct live_measure measure;
};

struct live_rows {
	enum live_subject subject;
	struct live_row *items;
	size_t count;
};

/* What to call them, and what they are chosen by, for users. */
const char *live_subject_text(enum live_subject subject);
const char *live_key_text(enum live_key key);

/*
 * Those whose label has `filter` in it (NULL: all) and that were called, or had time,
 * since the process began; in order. live_rows_fini() them.
 */
void live_rows_init(struct live_rows *rows, struct live_counts *counts,
		    enum live_subject subject, enum live_key key,
		    const char *filter);
void live_rows_fini(struct live_rows *rows);

/* How it is shown, safe to print; free() it. */
char *live_row_label(const struct live_rows *rows, struct live_counts *counts,
		     const struct live_row *row);

/* The function of a row of functions or contexts; FUNCTION_NONE of others. */
uint32_t live_row_function(const struct live_rows *rows,
			   const struct live_counts *counts,
			   const struct live_row *row);

#endif
