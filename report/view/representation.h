/* SPDX-License-Identifier: MIT */
/*
 * Contexts that are something else than chains of functions: of modules, source files
 * or classes, or whatever a step makes of the context that a call is made in.
 *
 * All calls of one context of functions are of one such context. So the tree of
 * functions is what steps are made along, once for each of its nodes, and not once for
 * each call; whether it was counted or made of packets is all the same.
 */
#ifndef CLEW_VIEW_REPRESENTATION_H
#define CLEW_VIEW_REPRESENTATION_H

#include "report/model/function_catalog.h"
#include "report/model/tree.h"

/*
 * The context of a call of `function` that is made in the context `parent`
 * (FUNCTION_NONE: by nobody): a function of the catalog that stands for it, or
 * `parent`, which the call does not leave.
 */
typedef uint32_t (*representation_step)(void *context, uint32_t parent,
					uint32_t function);

/* Groups, above all that a process or thread called, stay. tree_fini() it. */
void tree_represent(const struct tree *tree, struct catalog *catalog,
		    representation_step step, void *context,
		    struct tree *represented);

enum represented_by {
	REPRESENT_MODULE,
	REPRESENT_FILE,  /* the module's, where no debug information says it */
	REPRESENT_CLASS, /* or namespace; a function of none is itself */
	REPRESENT_COUNT
};

extern const char *const representation_names[REPRESENT_COUNT];

/* By one of those. tree_fini() it. */
void tree_represent_by(const struct tree *tree, struct catalog *catalog,
		       enum represented_by by, struct tree *represented);

#endif
