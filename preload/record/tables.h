/* SPDX-License-Identifier: MIT */
/*
 * The memory of a tally: growth and order.
 *
 * A count table that is too full is copied to one of twice the size. A table
 * whose busiest contexts are not at their home entries is copied to one of the
 * same size. The former table is retired for a while, since interrupted stubs
 * may still add to it. Then it is swept: late counts are moved and its space is
 * freed. An interrupted slow path may have claimed an entry in a retired table,
 * so nothing is swept while one is active (tally->busy).
 *
 * The tally's owner calls all functions, with signals blocked. After functions
 * that change the table the caller must update the thread's stubs.
 */
#ifndef CLEW_RECORD_TABLES_H
#define CLEW_RECORD_TABLES_H

#include "preload/hot/tally.h"
#include "preload/record/part.h"

/* Bytes of a tally's own chunk. */
uint64_t tally_chunk_bytes(void);

/* Begins with the zeroed table in that chunk. Returns 0 or -ENOMEM. */
int tally_first_table(struct tally *tally, struct wire_chunk *chunk);

/*
 * Makes room for at least one more context. Returns 0 or -errno. Changes the
 * table.
 */
int tally_grow(struct tally *tally, struct part *part);

/*
 * Makes room for this many more contexts, for a time in which nothing can grow.
 * Returns 0 or -errno. Changes the table.
 */
int tally_reserve(struct tally *tally, struct part *part, uint64_t contexts);

/*
 * Called after many strays: reorders or sweeps the table. Returns the number of
 * further strays after which to call this function again. Changes the table.
 */
int32_t tally_reorder(struct tally *tally, struct part *part);

/* Frees the tables that were kept only while a slow path was interrupted. */
void tally_free_held(struct tally *tally, struct part *part);

/* Sweeps the retired table, if there is one. */
void tally_sweep(struct tally *tally, struct part *part);

/*
 * In a forked child, for the tally in which its thread has counted: late stores
 * no longer reach the parent's tables through aliases (table_alias.h).
 */
void tally_separate_from_parent(const struct tally *tally);

/* Unmaps the notes of all tables. No thread may count there any more. */
void tally_unmap(struct tally *tally);

#endif
