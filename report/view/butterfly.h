/* SPDX-License-Identifier: MIT */
/*
 * A function with its callers and callees.
 *
 * Calls are those over each edge. Time is the function's total, divided among
 * its callers, and again among itself and its callees. Time of recursive calls
 * belongs to the outermost call, so nothing is counted twice.
 */
#ifndef CLEW_VIEW_BUTTERFLY_H
#define CLEW_VIEW_BUTTERFLY_H

#include "report/model/function_catalog.h"
#include "report/model/tree.h"

struct butterfly_row {
	/* FUNCTION_NONE among callers stands for a thread's start */
	uint32_t function;
	struct measure edge;
};

struct butterfly {
	uint32_t function; /* the first of the chosen functions */
	struct measure self, total;
	uint64_t calls_made; /* number of calls that the function made */
	struct butterfly_row *callers, *callees; /* largest first */
	size_t caller_count, callee_count;
	struct timing timing;    /* times as measured, if calls were timed */
	struct timing_bins bins; /* histogram of durations */
};

/*
 * Finds callers and callees of a function. All functions with chosen[function]
 * != 0 are treated as one.
 */
void butterfly_init(struct butterfly *butterfly, const struct tree *tree,
		    struct catalog *catalog, const uint8_t *chosen,
		    enum metric metric);
void butterfly_fini(struct butterfly *butterfly);

#endif
