/* SPDX-License-Identifier: MIT */
/*
 * A table's alias: a second mapping of it, with blank memory behind.
 *
 * A stub loads the mask and then the address of its thread's table (blank.h).
 * Where a signal handler forks in between, the child has a table that is smaller
 * than its parent's, and the interrupted stub looks for its entry there under
 * its parent's mask. So the tables of the thread that has forked are used where
 * as much can be read as its largest table before had:
 *
 *	the part	| other chunks | chunk | other chunks
 *	the alias	               | chunk | blank |
 *
 * What is blank has no ids, so that the call takes the slow path, which knows
 * better. A chunk as large as the parent's would do the same, but needs blocks
 * of the file system, in each child.
 */
#ifndef CLEW_RECORD_TABLE_ALIAS_H
#define CLEW_RECORD_TABLE_ALIAS_H

#include "preload/hot/tally.h"

/*
 * Use a mapping, whose table lies in that chunk, through an alias from here on,
 * if less than `reach` bytes of it can be read. 0 or -ENOMEM.
 */
int table_alias_map(struct mapping *mapping, const struct chunk *chunk,
		    uint64_t reach);

/* Private zeros in place of the chunk, where a late store does no harm. */
void table_alias_blank(const struct mapping *mapping);

#endif
