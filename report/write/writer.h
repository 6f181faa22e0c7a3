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
	uint32_t depth;           /* maximal depth; 0 if it is unlimited */
	double threshold_percent; /* subtrees with a smaller share are hidden */
};

/* How to show a tree. */
struct tree_view {
	const struct tree *tree; /* the tree, with its sums */
	struct tree_limits limits;
	int shows_callers; /* whether the tree is inverted (tree_callers()) */
	/* for text: whether shares refer to the node above */
	int is_share_of_caller;
	/* if not NULL, `tree` is its member `changes` */
	const struct diff *diff;
};

struct butterfly_view {
	const struct butterfly *butterfly;
	/*
	 * Name as the user wrote it. NULL in text: the name that tables show.
	 */
	const char *name;
};

struct diff_view {
	const struct diff *diff;
	const struct diff_table *table;
	enum diff_key key; /* key by which the table is sorted */
	size_t top;        /* maximal number of rows; 0: all */
	/* for JSON and Markdown: judged conditions, or NULL */
	const struct gate *gate;
};

struct flat_view {
	const struct flat *flat;
	const char *what; /* meaning of a row: "function", "module"... */
	size_t top;       /* maximal number of rows; 0: all */
	const struct selection *selection; /* selection of rows */
	int advises; /* for text: whether to add advice on the use of JNI */
};

struct annotation_view {
	/* an array with an item for each function */
	const struct annotation *items;
	size_t count;
	size_t omitted; /* number of further functions */
	struct source_files *sources;
	/*
	 * for text: whether only source lines, or only instructions, are shown
	 */
	int is_source_only, is_code_only;
	/* for text: whether instructions far from any cost are shown */
	int shows_all;
};

struct snapshots_view {
	const struct snapshot_list *list; /* the list, which is not empty */
	const char *path; /* path of the recording as the user names it */
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
