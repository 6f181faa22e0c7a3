/* SPDX-License-Identifier: MIT */
/*
 * The memory of a tally: how its count table grows and is reordered.
 *
 * A count table that is too full is copied to one of twice the size. A table
 * whose busiest contexts are not at their home entries is copied to one of the
 * same size. The former table is retired for a while, since interrupted stubs
 * may still add to it. Then it is swept: late counts are moved and its space is
 * freed. An interrupted slow path may have claimed an entry in a retired table,
 * so nothing is swept while one is active (tally->busy).
 *
 * The tally's owner calls all functions, with signals blocked, except
 * tally_unmap(). After functions that may replace the table the caller must
 * make the thread's stubs use the present one (switch_attach()).
 */
#ifndef CLEW_RECORD_TABLES_H
#define CLEW_RECORD_TABLES_H

#include "preload/hot/tally.h"
#include "preload/record/part.h"

/* Bytes of a tally's own chunk. */
uint64_t tally_chunk_bytes(void);

/*
 * Makes the zeroed table in the tally's own chunk the active one. Returns 0 or
 * -ENOMEM.
 */
int tally_first_table(struct tally *tally, struct wire_chunk *chunk);

/*
 * Makes room for at least one more context. Returns 0 or -errno. May replace
 * the table, even if it fails.
 */
int tally_grow(struct tally *tally, struct part *part);

/*
 * Makes room for this many more contexts, for a time in which nothing can grow.
 * Returns 0 or -errno: -EBUSY while a slow path is active. May replace the
 * table, even if it fails.
 */
int tally_reserve(struct tally *tally, struct part *part, uint64_t contexts);

/*
 * Called after many strays (calls whose context is not at its home entry):
 * reorders the table or sweeps the retired one. Returns the number of further
 * strays after which to call this function again. May replace the table.
 */
int32_t tally_reorder(struct tally *tally, struct part *part);

/*
 * Frees tables that were kept because an interrupted slow path could use them.
 */
void tally_free_held(struct tally *tally, struct part *part);

/* Sweeps the retired table, if there is one. */
void tally_sweep(struct tally *tally, struct part *part);

/*
 * Called in a forked child, for the parent's tally in which its thread has
 * counted. Replaces aliases of the parent's tables (table_alias.h), so that a
 * late store of an interrupted stub does not reach them.
 */
void tally_separate_from_parent(const struct tally *tally);

/*
 * Unmaps the notes of all tables and the index of histograms. No thread may
 * count there any more. The tables of a trace do not exist, because `clew
 * attach` records no traces.
 */
void tally_unmap(struct tally *tally);

#endif
