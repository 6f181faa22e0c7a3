/* SPDX-License-Identifier: MIT */
/* Reads the marks of one process, which are moments and regions. */
#ifndef CLEW_MERGE_PART_MARKS_H
#define CLEW_MERGE_PART_MARKS_H

#include "report/merge/contexts.h"
#include "report/model/mark_list.h"

/*
 * Adds a part's marks to the list. If `thread` is not NULL, adds only marks of
 * the threads with this name or id. Numbers of lost marks are added for all
 * threads. The caller calls mark_list_pair() afterwards.
 */
void part_marks_add(struct mark_list *list, const struct part_copy *part,
		    struct contexts *contexts, const char *thread);

#endif
