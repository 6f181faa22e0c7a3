/* SPDX-License-Identifier: MIT */
#include "image/symbols.h"

struct strings {
	const char *start; /* its last byte is NUL */
	uint64_t bytes;
};

static struct strings strings_of(const struct image *image,
				 const Elf64_Shdr *table)
{
	const Elf64_Shdr *section;
	struct strings none = { "", 1 };
	const char *start;

	if (table->sh_link >= image->section_count)
		return none;
	section = image->sections + table->sh_link;
	start = image_section_bytes(image, section);
	if (!start || section->sh_size == 0 ||
	    start[section->sh_size - 1] != '\0')
		return none;
	return (struct strings){ start, section->sh_size };
}

static int is_function(const Elf64_Sym *symbol)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	       symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS;
}

static int walk_table(const struct image *image, const Elf64_Shdr *table,
		      symbol_visit visit, void *context)
{
	const uint8_t *entries = image_section_bytes(image, table);
	struct strings strings = strings_of(image, table);
	uint64_t count = table->sh_size / sizeof(Elf64_Sym);

	for (uint64_t i = 0; entries && i < count; i++) {
		Elf64_Sym raw;
		struct symbol symbol = { .name = "" };
		int err;

		memcpy(&raw, entries + i * sizeof(raw), sizeof(raw));
		if (!is_function(&raw))
			continue;
		if (raw.st_name < strings.bytes)
			symbol.name = strings.start + raw.st_name;
		symbol.vaddr = raw.st_value;
		symbol.size = raw.st_size;
		err = visit(context, &symbol);
		if (err)
			return err;
	}
	return 0;
}

int symbols_walk(const struct image *image, symbol_visit visit, void *context)
{
	for (uint16_t i = 0; i < image->section_count; i++) {
		const Elf64_Shdr *section = image->sections + i;
		int err;

		if (section->sh_type != SHT_SYMTAB &&
		    section->sh_type != SHT_DYNSYM)
			continue;
		err = walk_table(image, section, visit, context);
		if (err)
			return err;
	}
	return 0;
}
