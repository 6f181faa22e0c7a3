/* SPDX-License-Identifier: MIT */
/*
 * Moving counts from one hash table of a thread's to another: to a larger one, or
 * to one in which the busiest entries are where stubs look first (tables.h).
 *
 * That thread calls these, with signals blocked; it may have been interrupted in
 * the midst of using either table.
 */
#ifndef CLEW_RECORD_TABLE_COPY_H
#define CLEW_RECORD_TABLE_COPY_H

#include "preload/hot/tally.h"

/*
 * All of a table into an empty one, the busiest first, so that they get the
 * places where stubs look.
 */
void table_copy(const struct mapping *from, struct mapping *to);

/* What was counted in a table since table_zero(). */
void table_add_late(const struct mapping *from, struct mapping *to);

/*
 * Zero the counts of all entries that table_copy() has copied: those with an id.
 * One that is claimed is still being filled, by a slow path that was
 * interrupted and will publish its first call in this table.
 */
void table_zero(const struct mapping *mapping);

#endif
