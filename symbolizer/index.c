/* SPDX-License-Identifier: MIT */
/* Reading an index: see index.h, and index_format.h for the format. */
#include "symbolizer/index.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/varint.h"
#include "symbolizer/elf/checksum.h"

#define NO_START UINT64_MAX
#define NOWHERE  UINT32_MAX

static const size_t item_bytes[INDEX_SECTIONS] = {
	[INDEX_SEGMENTS] = sizeof(struct index_segment),
	[INDEX_SYMBOL_STARTS] = sizeof(uint32_t),
	[INDEX_SYMBOLS] = sizeof(struct index_symbol),
	[INDEX_BLOCK_STARTS] = sizeof(uint32_t),
	[INDEX_BLOCK_OFFSETS] = sizeof(uint32_t),
	[INDEX_ROW_BYTES] = 1,
	[INDEX_NODE_BYTES] = 1,
	[INDEX_NAMES] = sizeof(struct index_name),
	[INDEX_FILES] = sizeof(struct index_string),
	[INDEX_TEXT] = 1,
	[INDEX_MERGED] = sizeof(struct index_merged),
	[INDEX_SOURCES] = sizeof(struct index_source),
};

static int header_is_sound(const struct index *index)
{
	const struct index_header *header = index->header;

	if (index->size < sizeof(*header) || header->magic != INDEX_MAGIC ||
	    header->version != INDEX_VERSION ||
	    header->header_bytes != sizeof(*header) ||
	    header->file_bytes != index->size ||
	    header->build_id_bytes > sizeof(header->build_id))
		return 0;
	for (size_t i = 0; i < INDEX_SECTIONS; i++) {
		struct index_extent extent = header->sections[i];

		if (extent.offset % 8 != 0 || extent.offset > index->size ||
		    extent.count >
			    (index->size - extent.offset) / item_bytes[i])
			return 0;
	}
	/* Texts are read up to a NUL, so the section must end with one. */
	if (header->sections[INDEX_TEXT].count == 0 ||
	    index->bytes[header->sections[INDEX_TEXT].offset +
			 header->sections[INDEX_TEXT].count - 1] != 0)
		return 0;
	return checksum_of_index(index->bytes, index->size) == header->checksum;
}

static const void *section(const struct index *index, enum index_section which,
			   size_t *count)
{
	*count = index->header->sections[which].count;
	return index->bytes + index->header->sections[which].offset;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void take_sections(struct index *index)
{
	size_t count;

	index->segments = section(index, INDEX_SEGMENTS, &index->segment_count);
	index->symbol_starts =
		section(index, INDEX_SYMBOL_STARTS, &index->symbol_count);
	index->symbols = section(index, INDEX_SYMBOLS, &count);
	index->symbol_count = smaller(index->symbol_count, count);
	index->block_starts =
		section(index, INDEX_BLOCK_STARTS, &index->block_count);
	index->block_offsets = section(index, INDEX_BLOCK_OFFSETS, &count);
	index->block_count = smaller(index->block_count, count);
	index->names = section(index, INDEX_NAMES, &index->name_count);
	index->files = section(index, INDEX_FILES, &index->file_count);
	index->merged = section(index, INDEX_MERGED, &index->merged_count);
	index->sources = section(index, INDEX_SOURCES, &index->source_count);
	index->row_bytes.at =
		section(index, INDEX_ROW_BYTES, &index->row_bytes.bytes);
	index->node_bytes.at =
		section(index, INDEX_NODE_BYTES, &index->node_bytes.bytes);
	index->text.at = section(index, INDEX_TEXT, &index->text.bytes);
	index->row_count = index->header->row_count;
	if (index->header->reason)
		index->reason = index_text(index, index->header->reason);
}

int index_open(struct index *index, int fd)
{
	struct index opened;
	struct stat status;
	void *bytes;

	if (fstat(fd, &status) != 0)
		return -errno;
	if (status.st_size < (off_t)sizeof(struct index_header))
		return -EBADMSG;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ,
		     MAP_SHARED | MAP_POPULATE, fd, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	opened = (struct index){
		.bytes = bytes,
		.size = (size_t)status.st_size,
		.header = bytes,
	};
	if (!header_is_sound(&opened)) {
		munmap(bytes, opened.size);
		return -EBADMSG;
	}
	take_sections(&opened);
	*index = opened;
	return 0;
}

void index_close(struct index *index)
{
	munmap((void *)index->bytes, index->size);
}

const char *index_text(const struct index *index, uint32_t position)
{
	return position < index->text.bytes
		       ? (const char *)index->text.at + position
		       : "";
}

/* Returns the number of items that are at most `key`. */
static size_t count_up_to(const uint32_t *items, size_t count, uint32_t key)
{
	const uint32_t *from = items;

	/*
	 * The loop contains no branch, since branches on random keys would be
	 * mispredicted.
	 */
	while (count > 1) {
		size_t half = count / 2;

		from = from[half - 1] <= key ? from + half : from;
		count -= half;
	}
	return (size_t)(from - items) + (count == 1 && *from <= key);
}

/* ---- names ---- */

static const char *string_of(const struct index *index,
			     struct index_string string, uint32_t *bytes)
{
	/* The string is followed by a NUL, which must also be inside. */
	if (string.at >= index->text.bytes ||
	    string.bytes >= index->text.bytes - string.at)
		return NULL;
	*bytes = string.bytes;
	return (const char *)index->text.at + string.at;
}

static void set_name(const struct index *index, uint32_t name,
		     struct a2n_frame *frame)
{
	const struct index_name *strings;

	if (name == 0 || name >= index->name_count)
		return;
	strings = &index->names[name];
	frame->symbol =
		string_of(index, strings->symbol, &frame->symbol_length);
	frame->name = string_of(index, strings->pretty, &frame->name_length);
	/* the caller will most likely read it */
	__builtin_prefetch(frame->name);
}

static void set_place(const struct index *index, uint64_t file, uint64_t line,
		      uint64_t column, uint64_t discriminator,
		      struct a2n_frame *frame)
{
	if (file > 0 && file < index->file_count)
		frame->file = string_of(index, index->files[file],
					&frame->file_length);
	frame->line = (uint32_t)line;
	frame->column = (uint32_t)column;
	frame->discriminator = (uint32_t)discriminator;
}

/*
 * Sets the name of a frame from the symbol table, which has the names of
 * clones, unlike debug information. Returns 0 if no symbol is at this address.
 */
static int set_symbol(const struct index *index, uint32_t delta,
		      struct a2n_frame *frame)
{
	size_t at =
		count_up_to(index->symbol_starts, index->symbol_count, delta);
	const struct index_symbol *symbol;

	if (at == 0)
		return 0;
	symbol = &index->symbols[at - 1];
	if (delta - index->symbol_starts[at - 1] >= symbol->bytes)
		return 0;
	set_name(index, symbol->name, frame);
	frame->from_symbol = 1;
	frame->start = index->header->base + symbol->entry;
	return 1;
}

/*
 * Returns the number of items of the sorted list of merged functions whose
 * entry is less than `entry`.
 */
static size_t count_merged_before(const struct index *index, uint32_t entry)
{
	size_t low = 0, high = index->merged_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (index->merged[middle].entry < entry)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t index_merged_names(const struct index *index, uint64_t vaddr,
			  const char **names, size_t room)
{
	const uint64_t entry = vaddr - index->header->base;
	size_t at, found = 0;
	uint32_t count = 0;

	if (vaddr < index->header->base || entry > UINT32_MAX)
		return 0;
	at = count_merged_before(index, (uint32_t)entry);
	for (; at < index->merged_count && found < MERGED_NAMES_MAX &&
	       index->merged[at].entry == entry;
	     at++) {
		struct a2n_frame frame = { 0 };

		set_name(index, index->merged[at].name, &frame);
		if (!frame.name)
			continue;
		if (found < room)
			names[found] = frame.name;
		found++;
		count = index->merged[at].count;
	}
	/*
	 * The count may exceed the stored names only if their list is full;
	 * otherwise the index is damaged.
	 */
	return found == MERGED_NAMES_MAX && count > found ? count : found;
}

/* ---- chains ---- */

struct node {
	/* position of the parent; 0 if the node is a function */
	uint32_t parent;
	uint32_t name;
	uint64_t call_file, call_line, call_column, call_discriminator;
};

static int read_node(const struct index *index, uint32_t position,
		     struct node *out)
{
	struct cursor cursor = cursor_at(index->node_bytes, position);
	uint64_t back = cursor_uleb(&cursor);

	if (position == 0 || back >= position)
		return 0;
	out->name = (uint32_t)cursor_uleb(&cursor);
	out->parent = back ? position - (uint32_t)back : 0;
	if (back) {
		out->call_file = cursor_uleb(&cursor);
		out->call_line = cursor_uleb(&cursor);
		out->call_column = cursor_uleb(&cursor);
		out->call_discriminator = cursor_uleb(&cursor);
	}
	return !cursor.is_bad;
}

size_t index_row_frames(const struct index *index, const struct index_row *row,
			struct a2n_frame *frames, size_t room)
{
	struct node node = { .parent = row->node };
	struct a2n_frame spare, *frame = room > 0 ? frames : &spare;
	size_t count = 0;

	*frame = (struct a2n_frame){ .start = NO_START };
	set_place(index, row->file, row->line, row->column, row->discriminator,
		  frame);
	while (node.parent && read_node(index, node.parent, &node)) {
		set_name(index, node.name, frame);
		if (!node.parent)
			break;
		frame->is_inlined = 1;
		count++;
		frame = count < room ? &frames[count] : &spare;
		*frame = (struct a2n_frame){ .start = NO_START };
		set_place(index, node.call_file, node.call_line,
			  node.call_column, node.call_discriminator, frame);
	}
	set_symbol(index, row->start, frame);
	return frame->symbol || frame->file || count > 0 ? count + 1 : 0;
}

/* ---- rows ---- */

static void read_row(struct cursor *cursor, struct index_row *row)
{
	uint8_t flags = cursor_u8(cursor);
	uint32_t delta = flags & ROW_DELTA_MASK;

	row->start += delta ? delta : (uint32_t)cursor_uleb(cursor);
	if (flags & ROW_FILE)
		row->file = unzigzag(row->file, (uint32_t)cursor_uleb(cursor));
	if (flags & ROW_CHAIN)
		row->node = unzigzag(row->node, (uint32_t)cursor_uleb(cursor));
	if (flags & ROW_COLUMN)
		row->column = (uint32_t)cursor_uleb(cursor);
	row->discriminator =
		flags & ROW_DISCRIMINATOR ? (uint32_t)cursor_uleb(cursor) : 0;
	row->line = unzigzag(row->line, (uint32_t)cursor_uleb(cursor));
}

/*
 * Returns the bytes of the block that contains delta; empty if there is none.
 */
static struct cursor find_block(const struct index *index, uint32_t delta,
				uint32_t *start)
{
	size_t block =
		count_up_to(index->block_starts, index->block_count, delta);
	struct cursor cursor;
	uint32_t end;

	if (block == 0)
		return cursor_at((struct span){ 0 }, 0);
	*start = index->block_starts[--block];
	cursor = cursor_at(index->row_bytes, index->block_offsets[block]);
	if (block + 1 < index->block_count) {
		end = index->block_offsets[block + 1];
		if (end >= index->block_offsets[block] &&
		    end <= index->row_bytes.bytes)
			cursor.end = index->row_bytes.at + end;
	}
	return cursor;
}

/* Returns the row of a block that contains delta, or an empty one. */
static struct index_row find_row(struct cursor cursor, uint32_t start,
				 uint32_t delta)
{
	struct index_row row = { .start = start }, found = { 0 };

	for (int i = 0; i < ROWS_PER_BLOCK && cursor.at < cursor.end; i++) {
		read_row(&cursor, &row);
		if (row.start > delta || cursor.is_bad)
			break;
		found = row;
	}
	found.start = delta; /* set_symbol() searches at this address */
	return found;
}

void index_find_rows(const struct index *index, const uint64_t *vaddrs,
		     size_t count, struct index_row *rows)
{
	uint64_t base = index->header->base;
	struct cursor blocks[INDEX_GROUP];
	uint32_t starts[INDEX_GROUP] = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (vaddrs[i] < base || vaddrs[i] >= index->header->limit) {
			blocks[i] = cursor_at((struct span){ 0 }, 0);
			continue;
		}
		blocks[i] = find_block(index, (uint32_t)(vaddrs[i] - base),
				       &starts[i]);
		__builtin_prefetch(blocks[i].at);
		__builtin_prefetch(blocks[i].at + 63);
	}
	for (size_t i = 0; i < count; i++) {
		if (vaddrs[i] < base || vaddrs[i] >= index->header->limit) {
			rows[i] = (struct index_row){ .start = NOWHERE };
			continue;
		}
		rows[i] = find_row(blocks[i], starts[i],
				   (uint32_t)(vaddrs[i] - base));
		if (rows[i].node < index->node_bytes.bytes)
			__builtin_prefetch(index->node_bytes.at + rows[i].node);
	}
}

size_t index_lookup(const struct index *index, uint64_t vaddr,
		    struct a2n_frame *frames, size_t room)
{
	struct index_row row;

	index_find_rows(index, &vaddr, 1, &row);
	return row.start == NOWHERE
		       ? 0
		       : index_row_frames(index, &row, frames, room);
}

int index_rows_first(const struct index *index, struct index_rows *rows)
{
	*rows = (struct index_rows){
		.index = index,
		.cursor = cursor_at(index->row_bytes, 0),
		.count = index->row_count,
	};
	return index_rows_next(rows);
}

int index_rows_next(struct index_rows *rows)
{
	uint64_t block = rows->next / ROWS_PER_BLOCK;

	if (rows->next >= rows->count || block >= rows->index->block_count)
		return 0;
	if (rows->next % ROWS_PER_BLOCK == 0) {
		rows->row = (struct index_row){
			.start = rows->index->block_starts[block]
		};
		rows->cursor = cursor_at(rows->index->row_bytes,
					 rows->index->block_offsets[block]);
	}
	read_row(&rows->cursor, &rows->row);
	rows->next++;
	return !rows->cursor.is_bad;
}
