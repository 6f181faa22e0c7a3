/* SPDX-License-Identifier: MIT */
/* The output formats: one table of functions each. */
#ifndef CLEW_WRITE_WRITER_H
#define CLEW_WRITE_WRITER_H

#include <stdio.h>

#include "report/view/butterfly.h"
#include "report/view/diff.h"
#include "report/view/flat.h"
#include "report/view/list.h"
#include "report/view/session.h"

struct tree_limits {
	uint32_t depth;           /* 0: none */
	double threshold_percent; /* hide subtrees with less of all there is */
};

/* What there is to show besides the tree itself. */
struct tree_view {
	const struct tree *tree; /* summed up */
	struct tree_limits limits;
	int shows_callers;       /* upside down, see tree_callers() */
	const struct diff *diff; /* `tree` is its `changes`; or NULL */
};

struct butterfly_view {
	const struct butterfly *butterfly;
	const char *name; /* as it was asked for */
};

struct diff_view {
	const struct diff *diff;
	const struct diff_table *table;
	enum diff_key key; /* that the table is sorted by */
	size_t top;        /* rows at most; 0: all */
};

struct flat_view {
	const struct flat *flat;
	const char *what; /* a row is: "function", "module"... */
	size_t top;       /* rows at most; 0: all */
	const struct selection *selection; /* of the rows */
	int advises; /* text: what to change in the use of JNI */
};

struct report_writer {
	void (*flat)(FILE *out, struct session *session,
		     const struct flat_view *view);
	void (*tree)(FILE *out, struct session *session,
		     const struct tree_view *view);
	/* JSON: the summary, which has them. */
	void (*marks)(FILE *out, struct session *session);
	/* Each of them, and of the hits that probes kept, by time. */
	void (*events)(FILE *out, struct session *session);
	void (*list)(FILE *out, const struct list_view *view);
	void (*butterfly)(FILE *out, struct session *session,
			  const struct butterfly_view *view);
	void (*diff)(FILE *out, struct session *session,
		     const struct diff_view *view);
};

extern const struct report_writer writer_text;
extern const struct report_writer writer_json;

#endif
