/* SPDX-License-Identifier: MIT */
#include "symbolizer/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "base/memory.h"
#include "symbolizer/demangle.h"

struct symbol {
	uint64_t vaddr;
	uint64_t size;
	char *name;
	uint8_t rank; /* lower is better among those of one address */
};

struct symbols {
	struct symbol *items; /* in order of vaddr, no two alike */
	size_t count;
	size_t capacity;
};

static int is_mangled(const char *name)
{
	return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0;
}

static uint8_t rank_of(const GElf_Sym *elf, const char *name)
{
	unsigned int bind = GELF_ST_BIND(elf->st_info);
	unsigned int rank = bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 2 : 4;

	if (GELF_ST_TYPE(elf->st_info) == STT_NOTYPE)
		rank += 6; /* a label of an assembler file */
	if (name[0] == '_' && !is_mangled(name))
		rank += 1;
	return (uint8_t)rank;
}

static int names_code(const GElf_Sym *elf)
{
	unsigned int type = GELF_ST_TYPE(elf->st_info);

	return elf->st_shndx != SHN_UNDEF && elf->st_value != 0 &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC ||
		type == STT_NOTYPE);
}

static void add(struct symbols *symbols, const GElf_Sym *elf, const char *name)
{
	symbols->items =
		memory_grow(symbols->items, symbols->count, &symbols->capacity,
			    sizeof(*symbols->items));
	symbols->items[symbols->count++] = (struct symbol){
		.vaddr = elf->st_value,
		.size = elf->st_size,
		.name = memory_string(name, strlen(name)),
		.rank = rank_of(elf, name),
	};
}

static void add_section(struct symbols *symbols, Elf *elf, Elf_Scn *section,
			const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	GElf_Sym symbol;
	const char *name;

	if (!data || entry == 0)
		return;
	for (size_t i = 0; i < data->d_size / entry; i++) {
		if (!gelf_getsym(data, (int)i, &symbol))
			return;
		if (!names_code(&symbol))
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name && *name)
			add(symbols, &symbol, name);
	}
}

static void add_file(struct symbols *symbols, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_SYMTAB ||
		    header.sh_type == SHT_DYNSYM)
			add_section(symbols, elf, section, &header);
	}
}

static int by_vaddr_then_merit(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;
	size_t a_length, b_length;

	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	a_length = strlen(a->name);
	b_length = strlen(b->name);
	if (a_length != b_length)
		return a_length < b_length ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Sorts, and keeps the best name of each address. */
static void settle(struct symbols *symbols)
{
	size_t kept = 0;

	if (symbols->count == 0)
		return;
	qsort(symbols->items, symbols->count, sizeof(*symbols->items),
	      by_vaddr_then_merit);
	for (size_t i = 1; i < symbols->count; i++) {
		if (symbols->items[i].vaddr == symbols->items[kept].vaddr)
			free(symbols->items[i].name);
		else
			symbols->items[++kept] = symbols->items[i];
	}
	symbols->count = kept + 1;
}

struct symbols *symbols_open(const char *path, const struct build_id *wanted)
{
	struct symbols *symbols = memory_zeroed(1, sizeof(*symbols));
	struct elf_file file;

	if (elf_file_open(&file, path, wanted) == 0) {
		add_file(symbols, file.elf);
		elf_file_close(&file);
	}
	if (elf_file_open_debug(&file, wanted) == 0) {
		add_file(symbols, file.elf);
		elf_file_close(&file);
	}
	settle(symbols);
	return symbols;
}

/* The last symbol at or before vaddr, or NULL. */
static const struct symbol *symbol_before(const struct symbols *symbols,
					  uint64_t vaddr)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->items[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &symbols->items[low - 1] : NULL;
}

char *symbols_name(const struct symbols *symbols, uint64_t vaddr)
{
	const struct symbol *symbol = symbol_before(symbols, vaddr);
	char *name, *with_offset;

	if (!symbol)
		return NULL;
	if (symbol->vaddr == vaddr)
		return demangle(symbol->name);
	if (vaddr - symbol->vaddr >= symbol->size)
		return NULL;
	name = demangle(symbol->name);
	with_offset =
		memory_printf("%s+0x%" PRIx64, name, vaddr - symbol->vaddr);
	free(name);
	return with_offset;
}

void symbols_close(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		free(symbols->items[i].name);
	free(symbols->items);
	free(symbols);
}
