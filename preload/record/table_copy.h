/* SPDX-License-Identifier: MIT */
/*
 * Moves counts from one hash table of a thread to another: to a larger one, or
 * to one that has the busiest entries at their homes (tables.h).
 *
 * The thread itself calls these functions, with signals blocked. The thread may
 * have been interrupted while using either table.
 */
#ifndef CLEW_RECORD_TABLE_COPY_H
#define CLEW_RECORD_TABLE_COPY_H

#include "preload/hot/tally.h"

/*
 * Copies a table to an empty one, the busiest entries first, so that most of
 * these get their home entries.
 */
void table_copy(const struct mapping *from, struct mapping *to);

/* Adds the calls that were counted in `from` since table_zero() to `to`. */
void table_add_late(const struct mapping *from, struct mapping *to);

/*
 * Zeroes the counts of all entries that table_copy() has copied: those with an
 * id. A claimed entry is being filled by an interrupted slow path, which will
 * publish its first call in this table.
 */
void table_zero(const struct mapping *mapping);

#endif
