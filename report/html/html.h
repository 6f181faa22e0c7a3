/* SPDX-License-Identifier: MIT */
/*
 * A self-contained page that shows a recording: flame graphs, tables, losses.
 */
#ifndef CLEW_HTML_HTML_H
#define CLEW_HTML_HTML_H

#include <stdio.h>

#include "report/code/call_sites.h"
#include "report/code/source_files.h"
#include "report/trace/merged_lines.h"
#include "report/view/diff.h"
#include "report/view/session.h"

struct html_view {
	struct session *session;
	/* the selection with which the session was opened */
	const struct whose *whose;
	/*
	 * If not NULL, the page shows a comparison, of which `session` is the
	 * later recording.
	 */
	const struct diff *diff;
	struct session *before;
	/*
	 * Limits of the page's timeline: the number of calls, the number of
	 * samples, and the time range. 0: none. Samples come from the session's
	 * timeline; those beyond the limit are removed from it.
	 */
	size_t slices;
	struct trace_window window;
	/*
	 * Sources to embed, together with instructions. NULL if there are none.
	 */
	struct source_files *sources;
	const struct call_sites *sites; /* sites of calls, or NULL */
};

/*
 * Returns 0; or -ENODATA if the time range of the view has nothing for the
 * timeline, and then nothing is written. Write errors are reported by ferror().
 */
int html_write(FILE *out, const struct html_view *view);

#endif
