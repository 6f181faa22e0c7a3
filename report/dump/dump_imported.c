/* SPDX-License-Identifier: MIT */
/* See dump_imported.h. */
#include "report/dump/dump_imported.h"

#include <inttypes.h>

#include "report/dump/dump_string.h"
#include "report/recording/imported_reader.h"

static void dump_source(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_import *record = (const void *)chunk->payload;

	if (part_chunk_used(chunk) < sizeof(*record))
		return;
	fprintf(out,
		"import format=%" PRIu32 " calls=%d estimated=%d samples=%d",
		record->format, (record->flags & WIRE_IMPORT_CALLS) != 0,
		(record->flags & WIRE_IMPORT_ESTIMATED) != 0,
		(record->flags & WIRE_IMPORT_SAMPLES) != 0);
	dump_string(out, "file", (const char *)(record + 1),
		    part_chunk_used(chunk) - sizeof(*record));
}

void dump_imported(FILE *out, const struct part_chunk *chunk)
{
	struct imported_name name;
	size_t cursor = 0;

	if (chunk->kind == WIRE_IMPORT)
		dump_source(out, chunk);
	while (imported_names_next(chunk, &cursor, &name)) {
		fprintf(out,
			"imported_name number=%" PRIu32 " kind=%d "
			"module_bytes=%zu",
			name.number, (int)name.kind, name.module_bytes);
		/*
		 * The path and the name are adjacent, so one call prints both.
		 */
		dump_string(out, "text", name.module,
			    name.module_bytes + name.name_bytes);
	}
}
