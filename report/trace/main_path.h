/* SPDX-License-Identifier: MIT */
/*
 * Where the slowest call of a function mostly spent its time: the chain of
 * callees of which each one may have more than half of the call's time. The
 * chain ends at a callee that certainly has this time if the next one may have
 * less; the function itself is not such a callee.
 */
#ifndef CLEW_TRACE_MAIN_PATH_H
#define CLEW_TRACE_MAIN_PATH_H

#include "report/trace/compared_calls.h"

/* Parts of a call's time, by bounds. */
struct time_share {
	double least, most; /* shares from 0 to 1 */
};

struct main_path {
	/*
	 * Nodes of the compared tree, outermost first. Empty if no callee can
	 * have more than half of the time.
	 */
	uint32_t *nodes;
	size_t count;
	/* Share of each call's time that the last node and its callees took. */
	struct time_share of[COMPARED_SIDES];
	/* Share of each call's time that the function took without callees. */
	struct time_share self[COMPARED_SIDES];
};

/*
 * Finds the path in compared calls that were read before. The caller calls
 * main_path_fini().
 */
void main_path_find(struct main_path *path,
		    const struct compared_calls *compared);
void main_path_fini(struct main_path *path);

#endif
