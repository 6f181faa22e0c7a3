/* SPDX-License-Identifier: MIT */
/* Adds the values that agents counted in one process to the tree. */
#ifndef CLEW_MERGE_PART_VALUES_H
#define CLEW_MERGE_PART_VALUES_H

#include "report/merge/contexts.h"
#include "report/model/value_list.h"

/*
 * Adds all values of a part to the list. Values with the name `wanted` (NULL:
 * none) are also added to the time of their contexts below `root`. Negative
 * sums wrap around there until values_settle() is called after all parts.
 */
void part_values_add(struct value_list *list, const struct part_copy *part,
		     struct contexts *contexts, uint32_t root,
		     const char *wanted);

/* Sets negative values in a tree to 0. */
void values_settle(struct tree *tree);

#endif
