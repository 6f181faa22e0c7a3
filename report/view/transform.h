/* SPDX-License-Identifier: MIT */
/*
 * Transforms of the tree of contexts: what all tables, trees and exports of a
 * recording then show.
 *
 *	focus     Keep contexts in which a function matches, with its callers.
 *	ignore    Remove contexts in which a function matches.
 *	collapse  A matching function and everything below it are one function.
 *	fold      Neighbours in a context that belong to one namespace or module
 *	          are one function; with `recursion`, a function that is already
 *	          active in a context counts there.
 *
 * They are applied in this order, each to the names in the recording. `focus`
 * and `ignore` are those of pprof; `collapse` and `fold` are "collapse
 * function" and "collapse resource" of the Firefox Profiler.
 *
 * Calls and time are moved, never estimated. collapse and fold keep the sum of
 * all functions. After focus, the sum is the total of the matching functions.
 */
#ifndef CLEW_VIEW_TRANSFORM_H
#define CLEW_VIEW_TRANSFORM_H

#include <regex.h>

#include "report/merge/timeline.h"
#include "report/model/function_catalog.h"
#include "report/model/tree.h"

/* The end of the name of a collapsed function. */
#define TRANSFORM_CALLEES " (with callees)"

/* One word of --fold. */
struct fold_rule {
	/* namespace or Java package; NULL if `module` is set */
	char *namespace;
	char *module; /* a glob for the module */
	int is_used;  /* whether a function matched; see struct transform */
};

/* The filters of a tree. All members 0 stand for no filter. */
struct transform {
	/* regular expressions, or NULL */
	const regex_t *focus, *ignore, *collapse;
	struct fold_rule *folds;
	size_t fold_count, fold_capacity;
	int folds_recursion;
	/*
	 * Set by tree_transform() if a function of a tree matched, as is_used
	 * of each fold.
	 */
	int ignore_is_used, collapse_is_used;
};

int transform_is_asked(const struct transform *transform);

/*
 * Adds the words of "std,module:libz*,recursion" to the folds. Returns 0; or
 * -EINVAL if a word is empty or "module:", after the words before it were
 * added.
 */
int transform_add_folds(struct transform *transform, const char *text);

/* Frees the folds. */
void transform_fini(struct transform *transform);

/*
 * Creates the transformed tree; free it with tree_fini(). Moves the samples of
 * the timeline, and removes those of removed contexts. Adds functions to the
 * catalog. Nodes of processes and threads are kept.
 */
void tree_transform(const struct tree *tree, struct catalog *catalog,
		    struct transform *transform, struct timeline *timeline,
		    struct tree *out);

#endif
