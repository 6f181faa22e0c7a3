/* SPDX-License-Identifier: MIT */
/*
 * Lines and chains, which arrived in runs, become the rows of the index.
 *
 * Both kinds of runs are sorted by address and read side by side. Where two
 * runs of a kind overlap, as after identical functions were folded into one,
 * the first in order of address, then of unit, keeps the bytes; since both
 * kinds are decided in the same way, a row's line and chain are of one unit.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_MERGE_ROWS_H
#define CLEW_SYMBOLIZER_INDEXER_MERGE_ROWS_H

#include "symbolizer/indexer/gather.h"

/* Rows as the index has them. */
struct merged_rows {
	uint32_t *block_starts, *block_offsets;
	size_t block_count, start_capacity, offset_capacity;
	uint8_t *bytes;
	size_t byte_count, byte_capacity;
	uint64_t row_count;
	struct gather_row last; /* that was put */
	uint32_t last_node;
};

void merge_rows(const struct gather *gather, struct merged_rows *out);

#endif
