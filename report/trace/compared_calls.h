/* SPDX-License-Identifier: MIT */
/*
 * Compares two calls of a function, the slowest and a faster one, by the
 * contexts inside them.
 */
#ifndef CLEW_TRACE_COMPARED_CALLS_H
#define CLEW_TRACE_COMPARED_CALLS_H

#include "report/model/tree.h"
#include "report/trace/function_calls.h"

enum { COMPARED_FAST, COMPARED_SLOW, COMPARED_SIDES };

/* Sums of one call in one context. */
struct compared_context {
	uint64_t calls;
	/* upper bound of the time or, if this is unknown, the lower bound */
	uint64_t total_ns;
	uint64_t least_ns; /* lower bound of the time */
	int64_t self_ns;   /* time without callees */
};

struct compared_calls {
	struct function_call of[COMPARED_SIDES];
	/* Number of ended calls, plus one if the slow call has not ended. */
	uint64_t all;
	/* The slow call caused the snapshot; it need not be the slowest one. */
	int is_of_snapshot;
	int is_alone; /* whether the slowest call is the only one */
	/*
	 * The function is the root's child; the arrays have the sums by node.
	 */
	struct tree tree;
	struct compared_pair {
		struct compared_context of[COMPARED_SIDES];
	} * contexts;
	size_t context_count, capacity;
};

/*
 * Finds two calls. The first is the slowest call of the chosen functions, which
 * may have been active at the end of the data, or in a snapshot the call that
 * caused the snapshot. The second is the call of a rank among all, the slow
 * call included, slowest first: 0 is the median, 1 is the same as 2, and a rank
 * above the number of calls is the fastest. Returns 0, also if there is only
 * the first call (is_alone); or -ENOENT if there is no call.
 */
int compared_calls_find(struct compared_calls *compared,
			const struct traces *traces,
			const struct trace_window *window,
			const uint8_t *chosen, size_t rank);

/* Reads what the two calls did, `levels` deep including themselves (0: all). */
void compared_calls_read(struct compared_calls *compared,
			 const struct traces *traces, uint32_t levels);

void compared_calls_fini(struct compared_calls *compared);

#endif
