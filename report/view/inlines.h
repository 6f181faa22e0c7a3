/* SPDX-License-Identifier: MIT */
/* Adds inlined functions to the tree. */
#ifndef CLEW_VIEW_INLINES_H
#define CLEW_VIEW_INLINES_H

#include "report/merge/timeline.h"
#include "report/model/function_catalog.h"
#include "report/model/tree.h"

/*
 * Functions of KIND_INLINED that are inlined at a call are placed between its
 * caller and callee. Functions that samples found inlined are placed below
 * their function, with the samples' time. Inlined functions have no calls of
 * their own, because nothing counts these. A context has one call site, that of
 * its first call.
 *
 * Samples of the timeline, if there are any, are moved also. May add functions
 * to the catalog and read debug information. Returns 1, and the caller frees
 * *out with tree_fini(); or 0, without *out, if no function is inlined.
 */
int tree_inline(const struct tree *tree, struct catalog *catalog,
		struct timeline *timeline, struct tree *out);

/*
 * Sets the location at which an inlined function's node is called. Returns 0 if
 * unknown.
 */
int inlined_call_place(struct catalog *catalog, const struct tree_node *node,
		       const char **file, uint32_t *line);

#endif
