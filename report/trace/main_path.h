/* SPDX-License-Identifier: MIT */
/*
 * Where the slowest call of a function mostly spent its time: the chain of
 * callees of which each one has more than half of the call's time. The chain
 * ends before a callee that may have none of the time, unless this is its first
 * one.
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
	 * Nodes of the compared tree, outermost first. Empty: no callee has
	 * more than half of the time.
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
