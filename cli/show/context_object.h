/* SPDX-License-Identifier: MIT */
/*
 * A user's shared object that defines contexts (agent/clew.h), as in `clew tree
 * --context=./my.so`.
 */
#ifndef CLEW_CLI_SHOW_CONTEXT_OBJECT_H
#define CLEW_CLI_SHOW_CONTEXT_OBJECT_H

#include "report/model/function_catalog.h"
#include "report/model/tree.h"

/*
 * Creates a tree, which the caller frees by tree_fini(), with the object's
 * contexts. Adds a function to the catalog for each context. Returns 0, or
 * -errno and *why.
 */
int context_object_represent(const char *path, const struct tree *tree,
			     struct catalog *catalog, struct tree *represented,
			     char **why);

#endif
