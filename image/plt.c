/* SPDX-License-Identifier: MIT */
/*
 * See plt.h. The linker covers each procedure linkage table with a single FDE.
 * Without section headers a table is recognized by its code.
 */
#include "image/plt.h"

#include <string.h>

#include "image/idioms.h"
#include "wire/verdict.h"

static int looks_like_plt(const struct image *image,
			  const struct function *function)
{
	uint64_t left = 0;
	const uint8_t *code = image_at(image, function->vaddr, &left);

	if (function->size < left)
		left = function->size;
	return code && idioms_is_plt(code, left);
}

static int is_plt_section(const struct image *image, const Elf64_Shdr *section)
{
	const char *name = image_section_name(image, section);

	return section->sh_type == SHT_PROGBITS &&
	       (strncmp(name, ".plt", 4) == 0 || strcmp(name, ".iplt") == 0);
}

static void mark_section(const struct functions *functions,
			 const Elf64_Shdr *section)
{
	for (uint32_t i = 0; i < functions->count; i++) {
		struct function *function = &functions->list[i];

		if (function->vaddr >= section->sh_addr &&
		    function->vaddr - section->sh_addr < section->sh_size)
			function->verdict = VERDICT_IS_PLT;
	}
}

static void mark_by_code(const struct image *image,
			 const struct functions *functions)
{
	for (uint32_t i = 0; i < functions->count; i++)
		if (looks_like_plt(image, &functions->list[i]))
			functions->list[i].verdict = VERDICT_IS_PLT;
}

void plt_mark(const struct image *image, const struct functions *functions)
{
	if (image->section_names_bytes == 0)
		mark_by_code(image, functions);
	for (uint16_t i = 0; i < image->section_count; i++)
		if (is_plt_section(image, image->sections + i))
			mark_section(functions, image->sections + i);
}
