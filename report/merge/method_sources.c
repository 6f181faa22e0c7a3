/* SPDX-License-Identifier: MIT */
/* See method_sources.h. */
#include "report/merge/method_sources.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/model/announced_lines.h"
#include "report/recording/names_reader.h"

static void add_source(struct method_sources *sources, struct catalog *catalog,
		       const struct recorded_source *source)
{
	uint64_t *slot;

	if (source->number == 0)
		return;
	slot = idmap_at(&sources->by_number, source->number);
	if (*slot)
		return;
	sources->items =
		memory_grow(sources->items, sources->count, &sources->capacity,
			    sizeof(*sources->items));
	sources->items[sources->count] = (struct method_source){
		.number = source->number,
		.file = announced_file(catalog, source->path),
		.lines = source->lines,
		.line_count = source->line_count,
	};
	*slot = ++sources->count;
}

void method_sources_add(struct method_sources *sources, struct catalog *catalog,
			const struct part_chunk *chunk)
{
	struct recorded_source source;
	size_t cursor = 0;

	while (sources_next(chunk, &cursor, &source))
		add_source(sources, catalog, &source);
}

void method_sources_fini(struct method_sources *sources)
{
	free(sources->items);
	idmap_fini(&sources->by_number);
}

int method_sources_find(const struct method_sources *sources, uint32_t number,
			uint32_t bytecode, uint32_t *file, uint32_t *line)
{
	const uint64_t *slot = idmap_find(&sources->by_number, number);
	const struct method_source *source;
	const struct wire_line *best = NULL;

	if (number == 0 || !slot || bytecode == WIRE_BYTECODE_NONE)
		return 0;
	source = &sources->items[*slot - 1];
	for (size_t i = 0; i < source->line_count; i++) {
		const struct wire_line *at = &source->lines[i];

		if (at->bytecode <= bytecode &&
		    (!best || at->bytecode >= best->bytecode))
			best = at;
	}
	if (!best || best->line == 0)
		return 0;
	*file = source->file;
	*line = best->line;
	return 1;
}
