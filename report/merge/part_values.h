/* SPDX-License-Identifier: MIT */
/* What agents counted in one process, on its way into the tree. */
#ifndef CLEW_MERGE_PART_VALUES_H
#define CLEW_MERGE_PART_VALUES_H

#include "report/merge/contexts.h"
#include "report/model/value_list.h"

/*
 * Adds all values of a part to the list. Those of the name `wanted` (NULL: none) also
 * are added to the time of their contexts below `root`, where what is less than nothing
 * wraps round: values_settle() when all are there.
 */
void part_values_add(struct value_list *list, const struct part_copy *part,
		     struct contexts *contexts, uint32_t root,
		     const char *wanted);

/* What is less than nothing in a tree of values is nothing. */
void values_settle(struct tree *tree);

#endif
