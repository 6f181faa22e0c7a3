/* SPDX-License-Identifier: MIT */
/* See symbols.h. */
#include "image/symbols.h"

#include "image/dynamic.h"

#define NO_SECTION_NUMBER(index)                                               \
	((index) == SHN_UNDEF || (index) == SHN_ABS || (index) == SHN_COMMON)

/*
 * Maximum number of symbols that are visited; real modules have fewer. Sections
 * of a damaged or hostile file may overlap, so that each of 65,535 is a table
 * of all its bytes.
 */
#define SYMBOLS_MAX (UINT64_C(1) << 26)

struct string_table {
	/* Start of the string table, whose last byte is NUL. */
	const char *start;
	uint64_t bytes;
};

struct symbol_table {
	struct bytes entries;
	struct string_table strings;
	/*
	 * points to the number of further symbols that are allowed in all
	 * tables
	 */
	uint64_t *left;
	int is_dynamic;
};

static const struct string_table no_strings = { "", 1 };

static struct string_table strings_in(const void *start, uint64_t bytes)
{
	const char *text = start;

	if (!text || bytes == 0 || text[bytes - 1] != '\0')
		return no_strings;
	return (struct string_table){ text, bytes };
}

/*
 * Returns whether other modules can call a symbol. In a dynamic table, hidden
 * symbols are local.
 */
static int is_exported(const struct symbol_table *table,
		       const Elf64_Sym *symbol)
{
	return table->is_dynamic && ELF64_ST_BIND(symbol->st_info) != STB_LOCAL;
}

static int walk_table(struct symbol_table *table, symbol_visit visit,
		      void *context)
{
	while (bytes_left(&table->entries) >= sizeof(Elf64_Sym) &&
	       *table->left > 0) {
		Elf64_Sym raw;
		struct symbol symbol = { .name = "" };
		unsigned int type;
		int err;

		--*table->left;
		memcpy(&raw, table->entries.at, sizeof(raw));
		bytes_skip(&table->entries, sizeof(raw));
		type = ELF64_ST_TYPE(raw.st_info);
		if (raw.st_name < table->strings.bytes)
			symbol.name = table->strings.start + raw.st_name;
		symbol.vaddr = raw.st_value;
		symbol.size = raw.st_size;
		symbol.is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
		symbol.is_defined = !NO_SECTION_NUMBER(raw.st_shndx);
		symbol.is_exported = (uint8_t)is_exported(table, &raw);
		err = visit(context, &symbol);
		if (err)
			return err;
	}
	return 0;
}

static struct symbol_table table_of_section(const struct image *image,
					    const Elf64_Shdr *section)
{
	const uint8_t *entries = image_section_bytes(image, section);
	struct symbol_table table = {
		.strings = no_strings,
		.is_dynamic = section->sh_type == SHT_DYNSYM,
	};
	const Elf64_Shdr *linked;

	if (!entries)
		entries = image->bytes;
	else if (section->sh_link < image->section_count) {
		linked = image->sections + section->sh_link;
		table.strings = strings_in(image_section_bytes(image, linked),
					   linked->sh_size);
	}
	table.entries.at = entries;
	table.entries.end =
		entries + (entries == image->bytes ? 0 : section->sh_size);
	return table;
}

/*
 * Returns 1 + the greatest index of a symbol in the GNU hash table at vaddr,
 * whose chains have 4 bytes for each symbol.
 */
static uint64_t count_of_gnu_hash(const struct image *image, uint64_t vaddr)
{
	struct bytes b = image_bytes_at(image, vaddr);
	uint64_t bucket_count = bytes_unsigned(&b, 4);
	uint64_t first = bytes_unsigned(&b, 4);
	uint64_t bloom_count = bytes_unsigned(&b, 4);
	uint64_t last = 0;

	bytes_skip(&b, 4 + 8 * bloom_count);
	if (bucket_count > SYMBOLS_MAX)
		return 0;
	while (bucket_count-- > 0 && !b.failed) {
		uint64_t index = bytes_unsigned(&b, 4);

		if (index > last)
			last = index;
	}
	if (b.failed || last > SYMBOLS_MAX)
		return 0;
	if (last < first)
		return first;
	bytes_skip(&b, 4 * (last - first));
	while (!b.failed && last < SYMBOLS_MAX && !(bytes_unsigned(&b, 4) & 1))
		last++;
	return b.failed ? 0 : last + 1;
}

/*
 * Returns the number of symbols in the dynamic table. The table has no length,
 * but each of its symbols is in a hash table.
 */
static uint64_t count_of_dynamic(const struct image *image)
{
	uint64_t vaddr;
	struct bytes b;

	if (dynamic_value(image, DT_GNU_HASH, &vaddr))
		return count_of_gnu_hash(image, vaddr);
	if (!dynamic_value(image, DT_HASH, &vaddr))
		return 0;
	b = image_bytes_at(image, vaddr + 4); /* skips nbucket */
	return bytes_unsigned(&b, 4);
}

static struct symbol_table table_of_dynamic(const struct image *image)
{
	struct symbol_table table = { .strings = no_strings, .is_dynamic = 1 };
	uint64_t count = count_of_dynamic(image);
	uint64_t vaddr;
	struct bytes b;

	table.entries = (struct bytes){ image->bytes, image->bytes, 0 };
	if (!dynamic_value(image, DT_SYMTAB, &vaddr))
		return table;
	table.entries = image_bytes_at(image, vaddr);
	if (count < bytes_left(&table.entries) / sizeof(Elf64_Sym))
		table.entries.end =
			table.entries.at + count * sizeof(Elf64_Sym);
	if (!dynamic_value(image, DT_STRTAB, &vaddr))
		return table;
	b = image_bytes_at(image, vaddr);
	if (dynamic_value(image, DT_STRSZ, &count) && count <= bytes_left(&b))
		table.strings = strings_in(b.at, count);
	return table;
}

int symbols_walk(const struct image *image, symbol_visit visit, void *context)
{
	struct symbol_table table;
	uint64_t left = SYMBOLS_MAX;
	int has_dynamic = 0;

	for (uint16_t i = 0; i < image->section_count; i++) {
		const Elf64_Shdr *section = image->sections + i;
		int err;

		if (section->sh_type != SHT_SYMTAB &&
		    section->sh_type != SHT_DYNSYM)
			continue;
		has_dynamic |= section->sh_type == SHT_DYNSYM;
		table = table_of_section(image, section);
		table.left = &left;
		err = walk_table(&table, visit, context);
		if (err)
			return err;
	}
	if (has_dynamic)
		return 0;
	table = table_of_dynamic(image);
	table.left = &left;
	return walk_table(&table, visit, context);
}
