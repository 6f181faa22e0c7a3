/* SPDX-License-Identifier: MIT */
/* See code_ranges.h. */
#include "image/code_ranges.h"

static int walk_sections(const struct image *image, code_visit visit,
			 void *context)
{
	int has_sections = 0;

	for (uint16_t i = 0; i < image->section_count; i++) {
		const Elf64_Shdr *s = image->sections + i;
		struct code_range range = {
			.vaddr = s->sh_addr,
			.end = s->sh_addr + s->sh_size,
			.section = image_section_name(image, s),
		};

		if (s->sh_type != SHT_PROGBITS ||
		    !(s->sh_flags & SHF_EXECINSTR))
			continue;
		has_sections = 1;
		visit(context, &range);
	}
	return has_sections;
}

void code_walk(const struct image *image, code_visit visit, void *context)
{
	if (walk_sections(image, visit, context))
		return;
	for (uint16_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *s = image->segments + i;
		struct code_range range = {
			.vaddr = s->p_vaddr,
			.end = s->p_vaddr + s->p_filesz,
			.section = "",
		};

		if (s->p_type == PT_LOAD && (s->p_flags & PF_X))
			visit(context, &range);
	}
}
