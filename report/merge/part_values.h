/* SPDX-License-Identifier: MIT */
/* Adds the values that agents counted in one process to the tree. */
#ifndef CLEW_MERGE_PART_VALUES_H
#define CLEW_MERGE_PART_VALUES_H

#include "report/merge/contexts.h"
#include "report/model/value_list.h"

/*
 * Adds all values of a part to the list. Values with the name `wanted` (NULL:
 * none) are also added to the nodes of their contexts below `root`, in place of
 * time; if they were estimated from samples, with the number of samples. As the
 * values are unsigned, negative sums wrap around; after all parts, the caller
 * calls values_settle().
 */
void part_values_add(struct value_list *list, const struct part_copy *part,
		     struct contexts *contexts, uint32_t root,
		     const char *wanted);

/* Sets the sums that are negative to 0. */
void values_settle(struct tree *tree);

#endif
