/* SPDX-License-Identifier: MIT */
/* What agents counted in one process, on its way into the tree. */
#ifndef CLEW_MERGE_PART_VALUES_H
#define CLEW_MERGE_PART_VALUES_H

#include "report/merge/contexts.h"
#include "report/model/value_list.h"

/*
 * Adds all values of a part to the list. Those of the name `wanted` (NULL: none) also
 * become the time of their contexts below `root`; a number that is less than nothing is
 * nothing there.
 */
void part_values_add(struct value_list *list, const struct part_copy *part,
		     struct contexts *contexts, uint32_t root,
		     const char *wanted);

#endif
