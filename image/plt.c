/* SPDX-License-Identifier: MIT */
/*
 * The linker covers each table with a single FDE. Without section headers a
 * table is known by at least two equal entries at its start,
 *
 *	f3 0f 1e fa		endbr64			optional
 *	f2			bnd			optional
 *	ff 25 disp32		jmp *disp(%rip)
 *
 * or by its first, which pushes and then jumps:
 *
 *	ff 35 disp32		push disp(%rip)
 *	[f2] ff 25 disp32	jmp *disp(%rip)
 *
 * One such jump alone is an ordinary function that tail-calls.
 */
#include "image/plt.h"

#include "wire/verdict.h"

#define ENTRY_BYTES 16
#define SHORT_BYTES 8 /* .plt.got without endbr64 */

static int skip_bytes(struct bytes *b, const char *bytes, size_t count)
{
	if (bytes_left(b) < count || memcmp(b->at, bytes, count) != 0)
		return 0;
	bytes_skip(b, count);
	return 1;
}

static int is_jump_entry(struct bytes b, uint64_t skip)
{
	bytes_skip(&b, skip);
	skip_bytes(&b, "\xf3\x0f\x1e\xfa", 4);
	skip_bytes(&b, "\xf2", 1);
	return skip_bytes(&b, "\xff\x25", 2) && bytes_left(&b) >= 4;
}

static int is_first_entry(struct bytes b)
{
	if (!skip_bytes(&b, "\xff\x35", 2))
		return 0;
	bytes_skip(&b, 4);
	return is_jump_entry(b, 0);
}

static int looks_like_plt(const struct image *image,
			  const struct function *function)
{
	struct bytes b = image_bytes_at(image, function->vaddr);

	if (function->size < bytes_left(&b))
		b.end = b.at + function->size;
	if (is_first_entry(b))
		return 1;
	return is_jump_entry(b, 0) &&
	       (is_jump_entry(b, SHORT_BYTES) || is_jump_entry(b, ENTRY_BYTES));
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
