/* SPDX-License-Identifier: MIT */
/* The tree with the functions that compilers inlined put back in. */
#ifndef CLEW_VIEW_INLINES_H
#define CLEW_VIEW_INLINES_H

#include "report/merge/timeline.h"
#include "report/model/function_catalog.h"
#include "report/model/tree.h"

/*
 * Between a function and what it calls stand the functions, of KIND_INLINED,
 * that are inlined at the call; below a function, those that its samples fell
 * into, with their time. How often they ran nobody knows: they have no calls
 * of their own. A context has one call site, that of its first call.
 *
 * The samples of the timeline, if there are any, move along. tree_fini() *out. The
 * catalog may get new functions and read debug information of the modules.
 */
void tree_inline(const struct tree *tree, struct catalog *catalog,
		 struct timeline *timeline, struct tree *out);

/* Where an inlined function's node is called: 0 if nobody knows. */
int inlined_call_place(struct catalog *catalog, const struct tree_node *node,
		       const char **file, uint32_t *line);

#endif
