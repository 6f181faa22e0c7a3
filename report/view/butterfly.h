/* SPDX-License-Identifier: MIT */
/*
 * A function between its callers and its callees.
 *
 * Calls are those over each edge. Time is the function's total, divided among
 * its callers and again among itself and its callees; where it is called again
 * within itself, time belongs to the outermost call, so nothing counts twice.
 */
#ifndef CLEW_VIEW_BUTTERFLY_H
#define CLEW_VIEW_BUTTERFLY_H

#include "report/model/function_catalog.h"
#include "report/model/tree.h"

struct butterfly_row {
	uint32_t function; /* FUNCTION_NONE among callers: a thread's start */
	struct measure edge;
};

struct butterfly {
	struct measure self, total;
	struct butterfly_row *callers, *callees; /* the most comes first */
	size_t caller_count, callee_count;
	struct timing timing;    /* as measured, where calls were timed */
	struct timing_bins bins; /* of calls by what they took */
};

/* Of all functions for which chosen[function] is not 0, as if they were one. */
void butterfly_init(struct butterfly *butterfly, const struct tree *tree,
		    struct catalog *catalog, const uint8_t *chosen,
		    enum metric metric);
void butterfly_fini(struct butterfly *butterfly);

#endif
