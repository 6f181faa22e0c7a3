/* SPDX-License-Identifier: MIT */
/* See write.h. */
#include "symbolizer/indexer/write.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbolizer/elf/checksum.h"
#include "symbolizer/elf/heap.h"
#include "symbolizer/indexer/merge_rows.h"
#include "symbolizer/indexer/symtab.h"
#include "symbolizer/indexer/variant_names.h"

/* The array that becomes one section of the index. */
struct section_part {
	const void *bytes;
	size_t count, item_bytes;
};

enum { SLACK = 16 };

static size_t part_bytes(const struct section_part *part)
{
	return (part->count * part->item_bytes + SLACK) & ~(size_t)7;
}

static int write_all(int fd, const uint8_t *bytes, size_t count)
{
	while (count > 0) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? -errno : -EIO;
		bytes += written;
		count -= (size_t)written;
	}
	return 0;
}

static int put_file(int fd, struct index_header *header,
		    const struct section_part *parts)
{
	size_t bytes = sizeof(*header);
	uint8_t *file;
	int err;

	for (size_t i = 0; i < INDEX_SECTIONS; i++) {
		header->sections[i] = (struct index_extent){
			.offset = bytes,
			.count = parts[i].count,
		};
		bytes += part_bytes(&parts[i]);
	}
	header->file_bytes = bytes;
	file = heap_zeroed(bytes, 1);
	memcpy(file, header, sizeof(*header));
	for (size_t i = 0; i < INDEX_SECTIONS; i++) {
		if (parts[i].count > 0)
			memcpy(file + header->sections[i].offset,
			       parts[i].bytes,
			       parts[i].count * parts[i].item_bytes);
	}
	header->checksum = checksum_of_index(file, bytes);
	memcpy(file, header, sizeof(*header));
	err = write_all(fd, file, bytes);
	free(file);
	return err;
}

static struct section_part segments_of(const struct elf *module)
{
	struct index_segment *segments =
		heap_zeroed(module->segment_count, sizeof(*segments));
	size_t count = 0;

	for (size_t i = 0; i < module->segment_count; i++) {
		const Elf64_Phdr *header = &module->segments[i];

		if (header->p_type == PT_LOAD)
			segments[count++] = (struct index_segment){
				.file_offset = header->p_offset,
				.bytes = header->p_filesz,
				.vaddr = header->p_vaddr,
			};
	}
	return (struct section_part){ segments, count, sizeof(*segments) };
}

static void put_symbols(struct gather *gather, struct section_part *starts,
			struct section_part *symbols,
			struct merged_names *merged)
{
	size_t count;
	struct symtab_piece *pieces = symtab_settle(gather, merged, &count);
	uint32_t *start = heap_zeroed(count, sizeof(*start));
	struct index_symbol *symbol = heap_zeroed(count, sizeof(*symbol));

	for (size_t i = 0; i < count; i++) {
		start[i] = pieces[i].start;
		symbol[i] = (struct index_symbol){
			.bytes = pieces[i].end - pieces[i].start,
			.entry = pieces[i].entry,
			.name = pieces[i].name,
		};
	}
	free(pieces);
	*starts = (struct section_part){ start, count, sizeof(*start) };
	*symbols = (struct section_part){ symbol, count, sizeof(*symbol) };
}

static struct section_part sources_of(struct gather *gather,
				      const struct sources *sources)
{
	struct index_source *items =
		heap_zeroed(sources->count, sizeof(*items));

	for (size_t i = 0; i < sources->count; i++) {
		const struct source *source = &sources->items[i];

		items[i] = (struct index_source){
			.path = texts_add(&gather->texts, source->path,
					  strlen(source->path)),
			.role = source->role,
			.bytes = source->bytes,
			.mtime_ns = source->mtime_ns,
		};
	}
	return (struct section_part){ items, sources->count, sizeof(*items) };
}

int write_index(int fd, struct gather *gather, const struct elf *module,
		const struct sources *sources, const char *reason)
{
	struct texts *texts = &gather->texts;
	struct index_header header = {
		.magic = INDEX_MAGIC,
		.version = INDEX_VERSION,
		.header_bytes = sizeof(header),
		.base = gather->base,
		.limit = gather->limit,
		.build_id_bytes = module->build_id.bytes,
		.flags = (sources->wants_download ? INDEX_WANTS_DOWNLOAD : 0) |
			 (sources->wants_neighbour ? INDEX_WANTS_NEIGHBOUR : 0),
	};
	struct section_part parts[INDEX_SECTIONS];
	struct merged_rows merged;
	struct merged_names names = { 0 };

	memcpy(header.build_id, module->build_id.data, sizeof(header.build_id));
	merge_rows(gather, &merged);
	free(gather->rows);
	free(gather->pieces);
	gather->rows = NULL;
	gather->pieces = NULL;
	header.row_count = merged.row_count;
	put_symbols(gather, &parts[INDEX_SYMBOL_STARTS], &parts[INDEX_SYMBOLS],
		    &names);
	texts_finish(texts);
	merged_names_settle(&names, gather);
	variant_names_mark(gather);
	parts[INDEX_MERGED] = (struct section_part){ names.items, names.count,
						     sizeof(*names.items) };
	if (reason)
		header.reason = texts_add(texts, reason, strlen(reason));
	parts[INDEX_SOURCES] = sources_of(gather, sources);
	parts[INDEX_SEGMENTS] = segments_of(module);
	parts[INDEX_BLOCK_STARTS] =
		(struct section_part){ merged.block_starts, merged.block_count,
				       4 };
	parts[INDEX_BLOCK_OFFSETS] =
		(struct section_part){ merged.block_offsets, merged.block_count,
				       4 };
	parts[INDEX_ROW_BYTES] =
		(struct section_part){ merged.bytes, merged.byte_count, 1 };
	parts[INDEX_NODE_BYTES] =
		(struct section_part){ gather->nodes, gather->node_bytes, 1 };
	parts[INDEX_NAMES] =
		(struct section_part){ texts->names, texts->name_count,
				       sizeof(*texts->names) };
	parts[INDEX_FILES] =
		(struct section_part){ texts->files, texts->file_count,
				       sizeof(*texts->files) };
	parts[INDEX_TEXT] =
		(struct section_part){ texts->bytes, texts->count, 1 };
	return put_file(fd, &header, parts);
}
