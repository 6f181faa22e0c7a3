/* SPDX-License-Identifier: MIT */
/* See plt_imports.h. */
#include "report/code/plt_imports.h"

#include <stdlib.h>

#include "symbolizer/elf/heap.h"

enum { IMPORTS_MAX = 1 << 20, NAME_BYTES_MAX = 1024 };

/* Returns the NUL-terminated text at an offset, or NULL. */
static const char *text_at(struct span texts, uint64_t offset)
{
	const char *text = (const char *)texts.at + offset;

	if (!texts.at || offset >= texts.bytes)
		return NULL;
	return strnlen(text, texts.bytes - offset) <
			       (texts.bytes - offset < NAME_BYTES_MAX
					? texts.bytes - offset
					: NAME_BYTES_MAX)
		       ? text
		       : NULL;
}

static void add(struct plt_imports *imports, uint64_t slot, const char *name)
{
	imports->items =
		heap_reserve(imports->items, imports->count + 1,
			     &imports->capacity, sizeof(*imports->items));
	imports->items[imports->count++] = (struct plt_import){ slot, name };
}

/*
 * Adds the relocations of a section that refer to a symbol with a name, up to
 * IMPORTS_MAX in total.
 */
static void add_section(struct plt_imports *imports, struct elf *elf,
			struct elf_section *section)
{
	struct elf_section *symbols, *strings;
	struct span relocations, names, texts;
	Elf64_Rela relocation;
	Elf64_Sym symbol;

	if (section->header.sh_link >= elf->section_count)
		return;
	symbols = &elf->sections[section->header.sh_link];
	if (symbols->header.sh_type != SHT_DYNSYM ||
	    symbols->header.sh_link >= elf->section_count)
		return;
	strings = &elf->sections[symbols->header.sh_link];
	relocations = elf_bytes(elf, section);
	names = elf_bytes(elf, symbols);
	texts = elf_bytes(elf, strings);
	for (size_t at = 0; at + sizeof(relocation) <= relocations.bytes &&
			    imports->count < IMPORTS_MAX;
	     at += sizeof(relocation)) {
		uint64_t index;
		const char *name;

		memcpy(&relocation, relocations.at + at, sizeof(relocation));
		index = ELF64_R_SYM(relocation.r_info);
		if (index == 0 || index >= names.bytes / sizeof(symbol))
			continue;
		memcpy(&symbol, names.at + index * sizeof(symbol),
		       sizeof(symbol));
		name = text_at(texts, symbol.st_name);
		if (name && *name)
			add(imports, relocation.r_offset, name);
	}
}

static int is_before(const void *a, const void *b)
{
	const struct plt_import *one = a, *other = b;

	return (one->slot > other->slot) - (one->slot < other->slot);
}

void plt_imports_init(struct plt_imports *imports, struct elf *elf)
{
	*imports = (struct plt_imports){ 0 };
	for (size_t i = 0; i < elf->section_count; i++)
		if (elf->sections[i].header.sh_type == SHT_RELA)
			add_section(imports, elf, &elf->sections[i]);
	if (imports->count > 0)
		qsort(imports->items, imports->count, sizeof(*imports->items),
		      is_before);
}

const char *plt_imports_find(const struct plt_imports *imports, uint64_t slot)
{
	const struct plt_import wanted = { .slot = slot };
	const struct plt_import *found =
		imports->count
			? bsearch(&wanted, imports->items, imports->count,
				  sizeof(*imports->items), is_before)
			: NULL;

	return found ? found->name : NULL;
}
