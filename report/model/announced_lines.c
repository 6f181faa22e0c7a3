/* SPDX-License-Identifier: MIT */
/* See announced_lines.h. */
#include "report/model/announced_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/hash.h"
#include "base/memory.h"

uint32_t announced_file(struct catalog *catalog, const char *path)
{
	char *printable = text_printable(memory_string(path, strlen(path)));
	const uint32_t number = strings_number(&catalog->files, printable);

	free(printable);
	return number + 1;
}

void announced_place(struct catalog *catalog, uint32_t function, uint32_t file,
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
		      const struct announced_frame *frames, size_t count)
{
	const struct catalog_site *at = &catalog->sites[site];

	return at->announced_count == count &&
	       memcmp(&catalog->announced[at->vaddr], frames,
		      count * sizeof(*frames)) == 0;
}

static uint32_t add_site(struct catalog *catalog,
			 const struct announced_frame *frames, size_t count)
{
	const size_t first = catalog->announced_count;

	for (size_t i = 0; i < count; i++) {
		catalog->announced = memory_grow(
			catalog->announced, catalog->announced_count,
			&catalog->announced_capacity, sizeof(*frames));
		catalog->announced[catalog->announced_count++] = frames[i];
	}
	catalog->sites =
		memory_grow(catalog->sites, catalog->site_count,
			    &catalog->site_capacity, sizeof(*catalog->sites));
	catalog->sites[catalog->site_count] = (struct catalog_site){
		.vaddr = first,
		.module = CATALOG_NO_MODULE,
		.announced_count = (uint32_t)count,
	};
	return (uint32_t)catalog->site_count++;
}

uint32_t announced_site(struct catalog *catalog,
			const struct announced_frame *frames, size_t count)
{
	uint64_t hash =
		hash_key(hash_add(HASH_START, frames, count * sizeof(*frames)));
	uint64_t *slot = idmap_at(&catalog->announced_sites, hash);

	while (*slot) {
		if (has_frames(catalog, *slot, frames, count))
			return (uint32_t)*slot;
		slot = idmap_at(&catalog->announced_sites, hash += 2);
	}
	*slot = add_site(catalog, frames, count);
	return (uint32_t)*slot;
}

uint32_t announced_function(const struct catalog *catalog, uint32_t site)
{
	const struct catalog_site *at = &catalog->sites[site];

	return catalog->announced[at->vaddr + at->announced_count - 1].function;
}

int announced_site_place(const struct catalog *catalog, uint32_t site,
			 const char **file, uint32_t *line)
{
	const struct announced_frame *frame;

	if (!site_is_announced(catalog, site))
		return 0;
	frame = &catalog->announced[catalog->sites[site].vaddr];
	if (frame->file == 0 || frame->line == 0)
		return 0;
	*file = catalog->files.items[frame->file - 1];
	*line = frame->line;
	return 1;
}

size_t announced_frames(struct catalog *catalog, uint32_t site,
			struct a2n_frame *frames, size_t room)
{
	const struct catalog_site *at = &catalog->sites[site];

	for (size_t i = 0; i < at->announced_count && i < room; i++) {
		const struct announced_frame *frame =
			&catalog->announced[at->vaddr + i];
		const uint32_t function =
			whole_function(catalog, frame->function);

		frames[i] = (struct a2n_frame){
			.name = catalog_name(catalog, function),
			.file = frame->file
					? catalog->files.items[frame->file - 1]
					: NULL,
			.line = frame->line,
			.is_inlined = i + 1 < at->announced_count,
			.start = UINT64_MAX,
		};
		frames[i].name_length = (uint32_t)strlen(frames[i].name);
		if (frames[i].file)
			frames[i].file_length =
				(uint32_t)strlen(frames[i].file);
	}
	return at->announced_count;
}

/* ---- Functions by line ---- */

uint32_t announced_line(struct catalog *catalog, uint32_t function,
			uint32_t file, uint32_t line)
{
	char *name = memory_printf("%s:%" PRIu32,
				   catalog_name(catalog, function), line);
	const uint32_t made =
		catalog_named(catalog, catalog_kind(catalog, function),
			      catalog->functions[function].module, name);

	catalog->functions[made].whole = function;
	announced_place(catalog, made, file, line);
	free(name);
	return made;
}
