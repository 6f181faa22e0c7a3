/* SPDX-License-Identifier: MIT */
/*
 * A copy of a tree without its smallest contexts, for consumers that limit the
 * size of a profile.
 *
 * The size of a context is its share of all calls or of all time, callees
 * included, whichever is larger. A context is therefore never larger than its
 * caller, and with a context its callers remain. What is removed below a
 * context becomes one child of it, so sums are kept.
 */
#ifndef CLEW_VIEW_PRUNE_H
#define CLEW_VIEW_PRUNE_H

#include "report/model/function_catalog.h"
#include "report/model/tree.h"

#define PRUNED_NAME "(small contexts)"

struct pruned {
	struct tree tree;
	/* Number of removed contexts with calls or time of their own. */
	size_t contexts;
	struct measure removed; /* their calls and time */
};

/*
 * Copies the tree with at most `limit` samples: contexts with calls or time,
 * and places in them at which samples were taken. Returns 1; or 0 without a
 * copy if the tree has at most `limit` samples. Free the copy with tree_fini().
 */
int prune_tree(const struct tree *tree, struct catalog *catalog, size_t limit,
	       struct pruned *pruned);

#endif
