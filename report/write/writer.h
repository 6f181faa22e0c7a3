/* SPDX-License-Identifier: MIT */
/* The output formats; each is a table of functions. */
#ifndef CLEW_WRITE_WRITER_H
#define CLEW_WRITE_WRITER_H

#include <stdio.h>

#include "report/code/annotation.h"
#include "report/code/source_files.h"
#include "report/view/butterfly.h"
#include "report/view/diff.h"
#include "report/view/flat.h"
#include "report/view/gate.h"
#include "report/view/list.h"
#include "report/view/session.h"
#include "report/view/snapshot_list.h"

struct tree_limits {
	uint32_t depth;           /* 0: unlimited */
	double threshold_percent; /* hide subtrees with a smaller share */
};

/* How to show a tree. */
struct tree_view {
	const struct tree *tree; /* with sums */
	struct tree_limits limits;
	int shows_callers;       /* an inverted tree, see tree_callers() */
	int is_share_of_caller;  /* text: shares refer to the node above */
	const struct diff *diff; /* not NULL: `tree` is its `changes` */
};

struct butterfly_view {
	const struct butterfly *butterfly;
	const char *name; /* as the user wrote it */
};

struct diff_view {
	const struct diff *diff;
	const struct diff_table *table;
	enum diff_key key; /* by which the table is sorted */
	size_t top;        /* maximal number of rows; 0: all */
	/* JSON, Markdown: judged conditions; or NULL */
	const struct gate *gate;
};

struct flat_view {
	const struct flat *flat;
	const char *what; /* meaning of a row: "function", "module"... */
	size_t top;       /* maximal number of rows; 0: all */
	const struct selection *selection; /* selection of rows */
	int advises; /* text: add advice on the use of JNI */
};

struct annotation_view {
	const struct annotation *items; /* one for each function */
	size_t count;
	size_t omitted; /* further functions */
	struct source_files *sources;
	/* text: source lines only, or instructions only */
	int is_source_only, is_code_only;
	int shows_all; /* text: with instructions that are far from any time */
};

struct snapshots_view {
	const struct snapshot_list *list; /* not empty */
	const char *path; /* of the recording, as the user names it */
};

struct report_writer {
	void (*flat)(FILE *out, struct session *session,
		     const struct flat_view *view);
	void (*tree)(FILE *out, struct session *session,
		     const struct tree_view *view);
	/* JSON: the summary, which contains the marks. */
	void (*marks)(FILE *out, struct session *session);
	/* Writes all marks and all probe hits with values, by time. */
	void (*events)(FILE *out, struct session *session);
	void (*snapshots)(FILE *out, struct session *session,
			  const struct snapshots_view *view);
	void (*list)(FILE *out, const struct list_view *view);
	void (*butterfly)(FILE *out, struct session *session,
			  const struct butterfly_view *view);
	void (*diff)(FILE *out, struct session *session,
		     const struct diff_view *view);
	void (*annotation)(FILE *out, struct session *session,
			   const struct annotation_view *view);
};

extern const struct report_writer writer_text;
extern const struct report_writer writer_json;

#endif
