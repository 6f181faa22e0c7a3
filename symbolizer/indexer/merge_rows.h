/* SPDX-License-Identifier: MIT */
/*
 * Merges runs of lines and chains into the rows of the index.
 *
 * Both kinds of runs are sorted by address and read in parallel. Runs of one
 * kind may overlap, for example after identical functions were folded. Then the
 * first run, in order of address and unit, keeps the bytes. Both kinds use the
 * same rule, so line and chain of a row mostly come from one unit.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_MERGE_ROWS_H
#define CLEW_SYMBOLIZER_INDEXER_MERGE_ROWS_H

#include "symbolizer/elf/gather.h"

/* Rows in the format of the index. */
struct merged_rows {
	uint32_t *block_starts, *block_offsets;
	size_t block_count, start_capacity, offset_capacity;
	uint8_t *bytes;
	size_t byte_count, byte_capacity;
	uint64_t row_count;
	struct gather_row last; /* the last row that was added */
	uint32_t last_node;
};

void merge_rows(const struct gather *gather, struct merged_rows *out);

#endif
