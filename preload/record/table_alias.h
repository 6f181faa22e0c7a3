/* SPDX-License-Identifier: MIT */
/*
 * The alias of a count table: a second mapping of the table, with blank memory
 * behind it.
 *
 * A stub loads the mask and then the address of its thread's table (blank.h).
 * If a signal handler forks in between, the child's table is smaller than its
 * parent's, and the interrupted stub uses its parent's mask there. Therefore
 * the thread that has forked uses its tables in the child through aliases,
 * where as many bytes are readable as its largest former table had:
 *
 *	the part	| other chunks | chunk | other chunks
 *	the alias	               | chunk | blank |
 *
 * Blank memory contains no ids, so the call takes the slow path. A chunk as
 * large as the parent's would serve as well, but would need disk blocks in each
 * child.
 */
#ifndef CLEW_RECORD_TABLE_ALIAS_H
#define CLEW_RECORD_TABLE_ALIAS_H

#include "preload/hot/tally.h"

/*
 * Replaces the mapping of the table, which is in this chunk, by an alias if
 * less than `reach` bytes of it are readable. Returns 0 or -ENOMEM.
 */
int table_alias_map(struct mapping *mapping, const struct chunk *chunk,
		    uint64_t reach);

/* Replaces the alias by private zeros, where a late store does no harm. */
void table_alias_blank(const struct mapping *mapping);

#endif
