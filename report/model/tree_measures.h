/* SPDX-License-Identifier: MIT */
/*
 * What the nodes of a tree have: calls each, and times, samples and tail calls those
 * that have any. tree.h says how to add to it, and how to sum it up.
 */
#ifndef CLEW_MODEL_TREE_MEASURES_H
#define CLEW_MODEL_TREE_MEASURES_H

#include "report/model/tree.h"

/* For tree_init() and tree_fini(). */
void tree_measures_init(struct tree *tree);
void tree_measures_fini(struct tree *tree);

#endif
