/* SPDX-License-Identifier: MIT */
/*
 * Contexts as chains of modules, source files or classes instead of functions,
 * or of anything that a step function computes.
 *
 * All calls of one context of functions belong to one such context. The step
 * function therefore runs once for each node of the tree of functions and not
 * once for each call, for counted recordings and traces alike.
 */
#ifndef CLEW_VIEW_REPRESENTATION_H
#define CLEW_VIEW_REPRESENTATION_H

#include "report/model/function_catalog.h"
#include "report/model/tree.h"

/*
 * Returns the context of a call of `function` that is made in the context
 * `parent` (FUNCTION_NONE: a thread's start). The result is a function of the
 * catalog that stands for the context, or `parent` if the call stays in it.
 */
typedef uint32_t (*representation_step)(void *context, uint32_t parent,
					uint32_t function);

/*
 * Nodes of processes and threads (KIND_GROUP) are kept. Free the result with
 * tree_fini().
 */
void tree_represent(const struct tree *tree, struct catalog *catalog,
		    representation_step step, void *context,
		    struct tree *represented);

enum represented_by {
	REPRESENT_MODULE,
	/* the source file, or the module's name if the file is unknown */
	REPRESENT_FILE,
	/* the class or namespace, or the function itself if it has neither */
	REPRESENT_CLASS,
	REPRESENT_COUNT
};

extern const char *const representation_names[REPRESENT_COUNT];

/* Free the result with tree_fini(). */
void tree_represent_by(const struct tree *tree, struct catalog *catalog,
		       enum represented_by by, struct tree *represented);

#endif
