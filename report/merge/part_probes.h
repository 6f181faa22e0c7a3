/* SPDX-License-Identifier: MIT */
/*
 * Reads the hits of one process's probes, if any of them records values. Each
 * hit is a moment with values (mark_list.h).
 */
#ifndef CLEW_MERGE_PART_PROBES_H
#define CLEW_MERGE_PART_PROBES_H

#include "report/merge/contexts.h"
#include "report/model/mark_list.h"

/*
 * Adds a part's hits to the list, unless no probe records values. If `thread`
 * is not NULL, adds only hits of the threads with this name or id. The caller
 * calls mark_list_pair() afterwards.
 */
void part_probes_add(struct mark_list *list, const struct part_copy *part,
		     struct contexts *contexts, const char *thread);

#endif
