/* SPDX-License-Identifier: MIT */
/* See merge_rows.h. */
#include "symbolizer/indexer/merge_rows.h"

#include <stdlib.h>

#include "base/varint.h"
#include "symbolizer/elf/heap.h"
#include "symbolizer/elf/sort.h"
#include "symbolizer/index_format.h"

enum { ROW_MOST = 1 + 6 * VARINT_MOST };

/* ---- sorted runs ---- */

/*
 * Returns the indices of all runs, sorted by the run's address; runs of the
 * same address keep their order. The caller frees the array.
 */
static uint32_t *order_runs(const struct gather_runs *runs)
{
	uint64_t *keys = heap_zeroed(runs->count, sizeof(*keys));
	uint64_t *scratch = heap_zeroed(runs->count, sizeof(*scratch));
	uint32_t *order = heap_zeroed(runs->count, sizeof(*order));

	for (size_t i = 0; i < runs->count; i++)
		keys[i] = (uint64_t)runs->items[i].start << 32 | i;
	sort_keys(keys, scratch, runs->count);
	for (size_t i = 0; i < runs->count; i++)
		order[i] = (uint32_t)keys[i];
	free(keys);
	free(scratch);
	return order;
}

/*
 * The addresses [start, end) with the source line or the chain of inlined calls
 * that a run gives them. Behind the last run, start and end are UINT32_MAX.
 */
struct row_stretch {
	uint32_t start, end;
	const struct gather_row *row; /* the row, in runs of lines */
	uint32_t node;                /* the node, in runs of chains */
};

struct run_reader {
	const struct gather *gather;
	const struct gather_runs *runs;
	uint32_t *order;
	size_t run, item;
	uint32_t covered; /* stretches below this address have been read */
	struct row_stretch now;
};

static int next_line(struct run_reader *reader, const struct gather_run *run)
{
	const struct gather_row *row =
		&reader->gather->rows[run->first + reader->item];

	if (reader->item + 1 >= run->count)
		return 0;
	reader->item++;
	reader->now = (struct row_stretch){ row->start, row[1].start, row, 0 };
	return 1;
}

static int next_chain(struct run_reader *reader, const struct gather_run *run)
{
	const struct gather_piece *piece =
		&reader->gather->pieces[run->first + reader->item];

	if (reader->item >= run->count)
		return 0;
	reader->item++;
	reader->now = (struct row_stretch){ piece->start, piece->end, NULL,
					    piece->node };
	return 1;
}

/*
 * Reads the reader's next stretch. Addresses that an earlier stretch has
 * covered are cut off.
 */
static void advance(struct run_reader *reader, int is_lines)
{
	while (reader->run < reader->runs->count) {
		const struct gather_run *run =
			&reader->runs->items[reader->order[reader->run]];

		if (is_lines ? !next_line(reader, run)
			     : !next_chain(reader, run)) {
			reader->run++;
			reader->item = 0;
			continue;
		}
		if (reader->now.start < reader->covered)
			reader->now.start = reader->covered;
		if (reader->now.start >= reader->now.end)
			continue;
		reader->covered = reader->now.end;
		return;
	}
	reader->now = (struct row_stretch){ UINT32_MAX, UINT32_MAX, NULL, 0 };
}

static struct run_reader reader_of(const struct gather *gather,
				   const struct gather_runs *runs, int is_lines)
{
	struct run_reader reader = {
		.gather = gather,
		.runs = runs,
		.order = order_runs(runs),
	};

	advance(&reader, is_lines);
	return reader;
}

/* ---- rows ---- */

static void begin_block(struct merged_rows *merged, uint32_t start)
{
	merged->block_starts =
		heap_reserve(merged->block_starts, merged->block_count + 1,
			     &merged->start_capacity, sizeof(uint32_t));
	merged->block_offsets =
		heap_reserve(merged->block_offsets, merged->block_count + 1,
			     &merged->offset_capacity, sizeof(uint32_t));
	merged->block_starts[merged->block_count] = start;
	merged->block_offsets[merged->block_count++] =
		(uint32_t)merged->byte_count;
	merged->last = (struct gather_row){ .start = start };
	merged->last_node = 0;
}

static void encode(struct merged_rows *merged, const struct gather_row *row,
		   uint32_t node)
{
	const struct gather_row *last = &merged->last;
	uint32_t delta = row->start - last->start;
	uint8_t *flags, *to;

	merged->bytes =
		heap_reserve(merged->bytes, merged->byte_count + ROW_MOST,
			     &merged->byte_capacity, 1);
	flags = to = merged->bytes + merged->byte_count;
	*to++ = delta <= ROW_DELTA_MASK ? (uint8_t)delta : 0;
	if (delta == 0 || delta > ROW_DELTA_MASK)
		to = varint_put(to, delta);
	if (row->file != last->file) {
		*flags |= ROW_FILE;
		to = varint_put(to, zigzag(last->file, row->file));
	}
	if (node != merged->last_node) {
		*flags |= ROW_CHAIN;
		to = varint_put(to, zigzag(merged->last_node, node));
	}
	if (row->column != last->column) {
		*flags |= ROW_COLUMN;
		to = varint_put(to, row->column);
	}
	if (row->discriminator) {
		*flags |= ROW_DISCRIMINATOR;
		to = varint_put(to, row->discriminator);
	}
	to = varint_put(to, zigzag(last->line, row->line));
	merged->byte_count = (size_t)(to - merged->bytes);
}

static int is_same_row(const struct merged_rows *merged,
		       const struct gather_row *row, uint32_t node)
{
	const struct gather_row *last = &merged->last;

	return merged->row_count > 0 && node == merged->last_node &&
	       row->file == last->file && row->line == last->line &&
	       row->column == last->column &&
	       row->discriminator == last->discriminator;
}

static void put(struct merged_rows *merged, struct gather_row row,
		uint32_t node)
{
	if (is_same_row(merged, &row, node))
		return;
	if (merged->row_count % ROWS_PER_BLOCK == 0)
		begin_block(merged, row.start);
	encode(merged, &row, node);
	merged->row_count++;
	merged->last = row;
	merged->last_node = node;
}

/*
 * Adds a row for address `at`, with the line and the chain that are valid
 * there. Returns the next address at which the line or the chain changes.
 */
static uint32_t put_both(struct merged_rows *merged,
			 const struct row_stretch *line,
			 const struct row_stretch *chain, uint32_t at)
{
	struct gather_row row = { 0 };
	uint32_t end = UINT32_MAX, node = 0;

	if (at >= line->start) {
		row = *line->row;
		end = line->end;
	} else {
		end = line->start;
	}
	if (at >= chain->start) {
		node = chain->node;
		end = chain->end < end ? chain->end : end;
	} else {
		end = chain->start < end ? chain->start : end;
	}
	row.start = at;
	put(merged, row, node);
	return end;
}

void merge_rows(const struct gather *gather, struct merged_rows *out)
{
	struct run_reader lines = reader_of(gather, &gather->row_runs, 1);
	struct run_reader chains = reader_of(gather, &gather->piece_runs, 0);
	uint32_t at;

	*out = (struct merged_rows){ 0 };
	at = lines.now.start < chains.now.start ? lines.now.start
						: chains.now.start;
	while (at != UINT32_MAX) {
		if (lines.now.end <= at) {
			advance(&lines, 1);
			continue;
		}
		if (chains.now.end <= at) {
			advance(&chains, 0);
			continue;
		}
		at = put_both(out, &lines.now, &chains.now, at);
	}
	if (out->row_count > 0)
		put(out,
		    (struct gather_row){
			    .start = (uint32_t)(gather->limit - gather->base) },
		    0);
	free(lines.order);
	free(chains.order);
}
