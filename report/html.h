/* SPDX-License-Identifier: MIT */
/* A page that shows a recording all by itself: flame graphs, tables, losses. */
#ifndef CLEW_REPORT_HTML_H
#define CLEW_REPORT_HTML_H

#include <stdio.h>

#include "report/session.h"

struct html_view {
	struct session *session;   /* names are looked up in it */
	const struct whose *whose; /* that it was opened with */
	/* For each node of its tree, what to compare it with; or NULL. */
	const struct measure *before;
};

/* What could not be written is for ferror() to say. */
void html_write(FILE *out, const struct html_view *view);

#endif
