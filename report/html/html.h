/* SPDX-License-Identifier: MIT */
/* A page that shows a recording all by itself: flame graphs, tables, losses. */
#ifndef CLEW_HTML_HTML_H
#define CLEW_HTML_HTML_H

#include <stdio.h>

#include "report/trace/merged_lines.h"
#include "report/view/diff.h"
#include "report/view/session.h"

struct html_view {
	struct session *session;
	const struct whose *whose; /* that it was opened with */
	/* Two sessions side by side, of which this one is the later; or NULL. */
	const struct diff *diff;
	const struct session *before;
	/*
	 * The page's timeline: of how many calls at most, and of how many samples, in which
	 * time. 0: none. Of samples there are those that the session has one by one; those
	 * that find no room are cut from it.
	 */
	size_t slices;
	struct trace_window window;
};

/* What could not be written is for ferror() to say. */
void html_write(FILE *out, const struct html_view *view);

#endif
