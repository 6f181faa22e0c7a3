/* SPDX-License-Identifier: MIT */
/* See told_lines.h. */
#include "report/model/told_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/hash.h"
#include "base/memory.h"

uint32_t told_file(struct catalog *catalog, const char *path)
{
	char *printable = text_printable(memory_string(path, strlen(path)));
	const uint32_t number = strings_number(&catalog->files, printable);

	free(printable);
	return number + 1;
}

void told_place(struct catalog *catalog, uint32_t function, uint32_t file,
		uint32_t line)
{
	struct catalog_function *entry = &catalog->functions[function];

	if (entry->file != 0 || line == 0)
		return;
	entry->file = file;
	entry->line = line;
}

/* ---- Sites ---- */

static int has_frames(const struct catalog *catalog, uint64_t site,
		      const struct told_frame *frames, size_t count)
{
	const struct catalog_site *at = &catalog->sites[site];

	return at->told_count == count &&
	       memcmp(&catalog->told[at->vaddr], frames,
		      count * sizeof(*frames)) == 0;
}

static uint32_t add_site(struct catalog *catalog,
			 const struct told_frame *frames, size_t count)
{
	const size_t first = catalog->told_count;

	for (size_t i = 0; i < count; i++) {
		catalog->told =
			memory_grow(catalog->told, catalog->told_count,
				    &catalog->told_capacity, sizeof(*frames));
		catalog->told[catalog->told_count++] = frames[i];
	}
	catalog->sites =
		memory_grow(catalog->sites, catalog->site_count,
			    &catalog->site_capacity, sizeof(*catalog->sites));
	catalog->sites[catalog->site_count] = (struct catalog_site){
		.vaddr = first,
		.module = CATALOG_NO_MODULE,
		.told_count = (uint32_t)count,
	};
	return (uint32_t)catalog->site_count++;
}

uint32_t told_site(struct catalog *catalog, const struct told_frame *frames,
		   size_t count)
{
	uint64_t hash =
		hash_key(hash_add(HASH_START, frames, count * sizeof(*frames)));
	uint64_t *slot = idmap_at(&catalog->told_sites, hash);

	while (*slot) {
		if (has_frames(catalog, *slot, frames, count))
			return (uint32_t)*slot;
		slot = idmap_at(&catalog->told_sites, hash += 2);
	}
	*slot = add_site(catalog, frames, count);
	return (uint32_t)*slot;
}

uint32_t told_function(const struct catalog *catalog, uint32_t site)
{
	const struct catalog_site *at = &catalog->sites[site];

	return catalog->told[at->vaddr + at->told_count - 1].function;
}

int told_site_place(const struct catalog *catalog, uint32_t site,
		    const char **file, uint32_t *line)
{
	const struct told_frame *frame;

	if (!site_is_told(catalog, site))
		return 0;
	frame = &catalog->told[catalog->sites[site].vaddr];
	if (frame->file == 0 || frame->line == 0)
		return 0;
	*file = catalog->files.items[frame->file - 1];
	*line = frame->line;
	return 1;
}

size_t told_frames(struct catalog *catalog, uint32_t site,
		   struct a2n_frame *frames, size_t room)
{
	const struct catalog_site *at = &catalog->sites[site];

	for (size_t i = 0; i < at->told_count && i < room; i++) {
		const struct told_frame *told = &catalog->told[at->vaddr + i];
		const uint32_t function =
			whole_function(catalog, told->function);

		frames[i] = (struct a2n_frame){
			.name = catalog_name(catalog, function),
			.file = told->file
					? catalog->files.items[told->file - 1]
					: NULL,
			.line = told->line,
			.is_inlined = i + 1 < at->told_count,
			.start = UINT64_MAX,
		};
		frames[i].name_length = (uint32_t)strlen(frames[i].name);
		if (frames[i].file)
			frames[i].file_length =
				(uint32_t)strlen(frames[i].file);
	}
	return at->told_count;
}

/* ---- Functions by line ---- */

uint32_t told_line(struct catalog *catalog, uint32_t function, uint32_t file,
		   uint32_t line)
{
	char *name = memory_printf("%s:%" PRIu32,
				   catalog_name(catalog, function), line);
	const uint32_t made =
		catalog_named(catalog, catalog_kind(catalog, function),
			      catalog->functions[function].module, name);

	catalog->functions[made].whole = function;
	told_place(catalog, made, file, line);
	free(name);
	return made;
}
