/* SPDX-License-Identifier: MIT */
/* See imported_reader.h. */
#include "report/recording/imported_reader.h"

#include <stdlib.h>

#include "base/display_text.h"
#include "base/memory.h"

int recording_is_imported(const struct recording *recording)
{
	for (size_t i = 0; i < recording->part_count; i++)
		if (recording->parts[i].header->origin != WIRE_FROM_IMPORT)
			return 0;
	return recording->part_count > 0;
}

int import_of(const struct part_copy *part, struct recorded_import *out)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	if (part->header->origin != WIRE_FROM_IMPORT)
		return 0;
	while (part_next_chunk(part, &cursor, &chunk)) {
		const struct wire_import *record = (const void *)chunk.payload;

		if (chunk.kind != WIRE_IMPORT ||
		    part_chunk_used(&chunk) < sizeof(*record) ||
		    record->format >= WIRE_IMPORT_FORMAT_COUNT)
			continue;
		*out = (struct recorded_import){
			.format = (enum wire_import_format)record->format,
			.flags = record->flags,
			.file = (const char *)(record + 1),
			.file_bytes = part_chunk_used(&chunk) - sizeof(*record),
		};
		return 1;
	}
	return 0;
}

const char *import_format_text(enum wire_import_format format)
{
	static const char *const texts[WIRE_IMPORT_FORMAT_COUNT] = {
		[WIRE_IMPORT_PERF] = "perf script",
		[WIRE_IMPORT_FOLDED] = "folded stacks",
		[WIRE_IMPORT_CALLGRIND] = "callgrind",
	};

	return format < WIRE_IMPORT_FORMAT_COUNT ? texts[format] : "unknown";
}

const char *import_meaning(uint32_t flags)
{
	if (flags & WIRE_IMPORT_ESTIMATED)
		return "calls and own costs are exact for each function, and "
		       "calls for each pair of caller and callee; longer "
		       "contexts are estimated";
	if (flags & WIRE_IMPORT_CALLS)
		return "calls are exact";
	if (flags & WIRE_IMPORT_SAMPLES)
		return "the numbers are samples; calls are unknown";
	return "calls are unknown";
}

char *import_text(const struct part_copy *part)
{
	struct recorded_import import;
	char *file, *text;

	if (!import_of(part, &import))
		return NULL;
	file = text_printable(memory_string(import.file, import.file_bytes));
	text = memory_printf("imported from %s (%s): %s",
			     import_format_text(import.format), file,
			     import_meaning(import.flags));
	free(file);
	return text;
}

int imported_names_next(const struct part_chunk *chunk, size_t *cursor,
			struct imported_name *out)
{
	const struct wire_imported_name *record =
		(const void *)(chunk->payload + *cursor);
	size_t left;
	uint64_t bytes;

	if (chunk->kind != WIRE_IMPORTED_NAMES ||
	    part_chunk_used(chunk) < *cursor)
		return 0;
	left = part_chunk_used(chunk) - *cursor;
	if (left < sizeof(*record))
		return 0;
	bytes = wire_imported_bytes(record->module_bytes, record->name_bytes);
	if (record->kind >= WIRE_IMPORTED_KIND_COUNT ||
	    record->name_bytes == 0 ||
	    (uint64_t)record->module_bytes + record->name_bytes >
		    WIRE_IMPORTED_BYTES_MAX ||
	    bytes > left)
		return 0;
	*cursor += (size_t)bytes;
	*out = (struct imported_name){
		.number = record->number,
		.kind = (enum wire_imported_kind)record->kind,
		.module = (const char *)(record + 1),
		.name = (const char *)(record + 1) + record->module_bytes,
		.module_bytes = record->module_bytes,
		.name_bytes = record->name_bytes,
	};
	return 1;
}
