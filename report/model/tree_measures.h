/* SPDX-License-Identifier: MIT */
/*
 * Storage for the measures of a tree's nodes: calls for each node; times,
 * samples and tail calls only for nodes that have them. tree.h declares the
 * operations.
 */
#ifndef CLEW_MODEL_TREE_MEASURES_H
#define CLEW_MODEL_TREE_MEASURES_H

#include "report/model/tree.h"

/*
 * Initialise and free the measures of a tree. Called by tree_init() and
 * tree_fini().
 */
void tree_measures_init(struct tree *tree);
void tree_measures_fini(struct tree *tree);

#endif
