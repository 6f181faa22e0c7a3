/* SPDX-License-Identifier: MIT */
/*
 * A shared object of the user's that says what a context is (agent/clew.h): clew tree
 * --context=./my.so.
 */
#ifndef CLEW_CLI_SHOW_CONTEXT_OBJECT_H
#define CLEW_CLI_SHOW_CONTEXT_OBJECT_H

#include "report/model/function_catalog.h"
#include "report/model/tree.h"

/* 0, or -errno and *why. tree_fini() it. */
int context_object_represent(const char *path, const struct tree *tree,
			     struct catalog *catalog, struct tree *represented,
			     char **why);

#endif
