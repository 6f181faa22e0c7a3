/* SPDX-License-Identifier: MIT */
/* A page that shows a recording all by itself: flame graphs, tables, losses. */
#ifndef CLEW_HTML_HTML_H
#define CLEW_HTML_HTML_H

#include <stdio.h>

#include "report/view/diff.h"
#include "report/view/session.h"

struct html_view {
	struct session *session;
	const struct whose *whose; /* that it was opened with */
	/* Two sessions side by side, of which this one is the later; or NULL. */
	const struct diff *diff;
	const struct session *before;
};

/* What could not be written is for ferror() to say. */
void html_write(FILE *out, const struct html_view *view);

#endif
