/* SPDX-License-Identifier: MIT */
/*
 * The memory of a tally: making room for more, and keeping it in good order.
 *
 * A count table that is too full is copied to one of twice the size, and one
 * whose busiest contexts are not where stubs look (in their home entry) to one
 * of the same size. The table that was left is kept for a while, for there may
 * be interrupted stubs that still add to it; then it is swept: what was added
 * is moved, and its space given back. An interrupted slow path may have
 * claimed an entry in a table that was left: while one is under way
 * (tally->busy) nothing is swept.
 *
 * All functions want the tally's owner as caller, with signals blocked. After
 * those that say so the thread's stubs must be told of the tally's new table.
 */
#ifndef CLEW_RECORD_TABLES_H
#define CLEW_RECORD_TABLES_H

#include "preload/hot/tally.h"
#include "preload/record/part.h"

/* Bytes of a tally's own chunk. */
uint64_t tally_chunk_bytes(void);

/* Begin with the zeroed table inside of that chunk. 0 or -ENOMEM. */
int tally_first_table(struct tally *tally, struct wire_chunk *chunk);

/* Room for at least one more context. 0 or -errno. Changes the table. */
int tally_grow(struct tally *tally, struct part *part);

/*
 * Room for so many contexts more, for a time when nothing can be made. 0 or
 * -errno. Changes the table.
 */
int tally_reserve(struct tally *tally, struct part *part, uint64_t contexts);

/*
 * Enough calls were counted away from home: do something about it. Returns
 * after how many more to call again. Changes the table.
 */
int32_t tally_reorder(struct tally *tally, struct part *part);

/* Free the tables that were kept only while a slow path was interrupted. */
void tally_free_held(struct tally *tally, struct part *part);

/* Let go of a table that was left, if there is one. */
void tally_sweep(struct tally *tally, struct part *part);

/*
 * In a forked child, of the tally that its thread has counted in: late stores
 * no longer reach the parent's tables by their aliases (table_alias.h).
 */
void tally_leave_to_parent(const struct tally *tally);

/* Give back the notes of all its tables. Nobody counts there any more. */
void tally_unmap(struct tally *tally);

#endif
