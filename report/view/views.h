/* SPDX-License-Identifier: MIT */
/* Trees that are made from the tree of all contexts. */
#ifndef CLEW_VIEW_VIEWS_H
#define CLEW_VIEW_VIEWS_H

#include <stdint.h>

#include "report/model/tree.h"

/*
 * The tree without the functions for which keep[function] is 0: what they
 * called hangs under their nearest caller that is kept, whose own the time
 * they took becomes. tree_fini() it.
 */
void tree_keep(const struct tree *tree, const uint8_t *keep, struct tree *kept);

/*
 * The tree upside down: below the root the functions for which
 * chosen[function] is not 0, below each its callers, their callers and so on,
 * at most `depth` levels (0: all). `below` of a node is the number of calls
 * that came along that chain. tree_fini() it.
 */
void tree_callers(const struct tree *tree, const uint8_t *chosen,
		  uint32_t depth, struct tree *callers);

#endif
