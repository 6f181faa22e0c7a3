/* SPDX-License-Identifier: MIT */
/*
 * The tree of what happened in a window of time: calls of traces that began in
 * it, and the time of samples that were taken in it. Calls that were only
 * counted have no time, so they are not in this tree.
 */
#ifndef CLEW_TRACE_WINDOW_TREE_H
#define CLEW_TRACE_WINDOW_TREE_H

#include "report/merge/timeline.h"
#include "report/trace/merged_lines.h"

struct window_source {
	const struct tree *tree;     /* tree of the whole recording */
	const struct traces *traces; /* single calls, or NULL */
	const struct whose *whose;
	struct trace_window window;
	/*
	 * Whether the time is that between the calls and returns of a trace,
	 * because the recording has no samples.
	 */
	int takes_trace_times;
};

/*
 * Creates the tree and its sums; free it with tree_fini(). Removes samples
 * outside of the window from the timeline and moves the others to the new
 * nodes.
 */
void window_tree_init(struct tree *out, const struct window_source *source,
		      struct timeline *timeline);

#endif
