/* SPDX-License-Identifier: MIT */
/* Trees that are derived from the tree of all contexts. */
#ifndef CLEW_VIEW_VIEWS_H
#define CLEW_VIEW_VIEWS_H

#include <stdint.h>

#include "report/model/tree.h"

/*
 * Copies the tree without functions for which keep[function] is 0. The callees
 * of such a function are placed below its nearest kept caller, which also gets
 * its time; its calls are omitted. Free the result with tree_fini().
 */
void tree_keep(const struct tree *tree, const uint8_t *keep, struct tree *kept);

/*
 * Creates the inverted tree: below the root the functions with chosen[function]
 * != 0, below each its callers, their callers and so on, at most `depth` levels
 * (0: all). `below` of a node is the number of calls that came along that
 * chain. Free the result with tree_fini().
 */
void tree_callers(const struct tree *tree, const uint8_t *chosen,
		  uint32_t depth, struct tree *callers);

#endif
