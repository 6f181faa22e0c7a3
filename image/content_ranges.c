/* SPDX-License-Identifier: MIT */
/* See content_ranges.h. */
#include "image/content_ranges.h"

#include <errno.h>
#include <string.h>

struct content_walk {
	const struct image *image;
	content_visit *visit;
	void *context;
	uint64_t left; /* number of bytes that further ranges may have */
	int err;
};

static void visit_bytes(struct content_walk *walk, const void *bytes,
			uint64_t count)
{
	if (!walk->err && count > walk->left)
		walk->err = -EFBIG;
	if (walk->err)
		return;
	walk->left -= count;
	walk->err = walk->visit(walk->context, bytes, count);
}

/* Returns the size of a segment in the file. */
static uint64_t segment_bytes(const struct image *image,
			      const Elf64_Phdr *segment)
{
	const uint64_t left = segment->p_offset < image->size
				      ? image->size - segment->p_offset
				      : 0;

	return segment->p_filesz < left ? segment->p_filesz : left;
}

static void visit_segments(struct content_walk *walk)
{
	const struct image *image = walk->image;

	for (uint16_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];
		const uint64_t count = segment_bytes(image, segment);

		if (segment->p_type == PT_LOAD && count)
			visit_bytes(walk, image->bytes + segment->p_offset,
				    count);
	}
}

static int is_loaded(const struct image *image, const Elf64_Shdr *section)
{
	for (uint16_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];
		const uint64_t skip = section->sh_offset - segment->p_offset;
		const uint64_t bytes = segment_bytes(image, segment);

		if (segment->p_type == PT_LOAD &&
		    section->sh_offset >= segment->p_offset && skip <= bytes &&
		    section->sh_size <= bytes - skip)
			return 1;
	}
	return 0;
}

static int is_debug_information(const struct image *image,
				const Elf64_Shdr *section)
{
	const char *name = image_section_name(image, section);

	return section->sh_type == SHT_PROGBITS &&
	       (!strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8));
}

/*
 * Visits the sections that are not loaded, such as the symbols, but no debug
 * information.
 */
static void visit_sections(struct content_walk *walk)
{
	const struct image *image = walk->image;

	for (uint16_t i = 0; i < image->section_count && !walk->err; i++) {
		const Elf64_Shdr *section = &image->sections[i];
		const void *bytes = image_section_bytes(image, section);

		if (bytes && section->sh_size && !is_loaded(image, section) &&
		    !is_debug_information(image, section))
			visit_bytes(walk, bytes, section->sh_size);
	}
}

int content_ranges_walk(const struct image *image, uint64_t most,
			content_visit *visit, void *context)
{
	struct content_walk walk = {
		.image = image,
		.visit = visit,
		.context = context,
		.left = most,
	};

	visit_bytes(&walk, image->bytes, sizeof(Elf64_Ehdr));
	visit_bytes(&walk, image->segments,
		    image->segment_count * sizeof(*image->segments));
	if (image->sections)
		visit_bytes(&walk, image->sections,
			    image->section_count * sizeof(*image->sections));
	visit_segments(&walk);
	visit_sections(&walk);
	return walk.err;
}
