/* SPDX-License-Identifier: MIT */
/* See loaded_symbols.h. */
#include "loaded/loaded_symbols.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "libc/libc.h"

#define VERSION_HIDDEN 0x8000

/*
 * The parts of a module's dynamic section that a search by DT_GNU_HASH needs.
 */
struct symbol_tables {
	const uint32_t *hash;
	const Elf64_Sym *symbols;
	const Elf64_Half *versions; /* versions of the symbols, or NULL */
	const char *strings;
};

/*
 * The header of a DT_GNU_HASH table. The Bloom filter, the buckets and the
 * chains follow it.
 */
struct gnu_hash {
	uint32_t bucket_count;
	uint32_t first_symbol;
	uint32_t filter_words; /* number of 64-bit words in the Bloom filter */
	uint32_t filter_shift;
};

/* The ELF header of the module with this code; the linker defines it. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/*
 * Returns the address in an entry of the dynamic section. The loader has added
 * the load bias to it, except in modules that it cannot write to (vDSO).
 */
static const void *pointer(const struct link_map *map, const ElfW(Dyn) * entry)
{
	uint64_t value = entry->d_un.d_ptr;

	return (const void *)(value < map->l_addr ? value + map->l_addr
						  : value);
}

static int find_tables(const struct link_map *map, struct symbol_tables *tables)
{
	*tables = (struct symbol_tables){ 0 };
	if (!map->l_ld)
		return 0;
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag; entry++) {
		if (entry->d_tag == DT_GNU_HASH)
			tables->hash = pointer(map, entry);
		else if (entry->d_tag == DT_SYMTAB)
			tables->symbols = pointer(map, entry);
		else if (entry->d_tag == DT_STRTAB)
			tables->strings = pointer(map, entry);
		else if (entry->d_tag == DT_VERSYM)
			tables->versions = pointer(map, entry);
	}
	return tables->hash && tables->symbols && tables->strings;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

static int is_wanted(const struct symbol_tables *tables, uint32_t index,
		     const char *name)
{
	const Elf64_Sym *symbol = &tables->symbols[index];
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
	       (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE ||
		type == STT_GNU_IFUNC) &&
	       !(tables->versions &&
		 tables->versions[index] & VERSION_HIDDEN) &&
	       !strcmp(tables->strings + symbol->st_name, name);
}

/*
 * Returns the address of a symbol. For an IFUNC, calls its resolver, which
 * returns the address of the function and does nothing else.
 */
static void *address_of(const struct link_map *map, const Elf64_Sym *symbol)
{
	const uint64_t pc = map->l_addr + symbol->st_value;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_GNU_IFUNC)
		return (void *)pc;
	return ((void *(*)(void))pc)();
}

void *loaded_symbol(const struct link_map *map, const char *name)
{
	const uint32_t hash = hash_of(name);
	const struct gnu_hash *header;
	const uint32_t *buckets, *chains;
	struct symbol_tables tables;
	uint32_t index;

	if (!find_tables(map, &tables))
		return NULL;
	header = (const struct gnu_hash *)tables.hash;
	buckets = (const uint32_t *)(header + 1) + 2 * header->filter_words;
	chains = buckets + header->bucket_count;
	index = header->bucket_count ? buckets[hash % header->bucket_count] : 0;
	if (index < header->first_symbol)
		return NULL;
	for (;; index++) {
		uint32_t chain = chains[index - header->first_symbol];

		if ((chain ^ hash) < 2 && is_wanted(&tables, index, name))
			return address_of(map, &tables.symbols[index]);
		if (chain & 1)
			return NULL;
	}
}

void *loaded_symbol_from(const struct link_map *map, const char *name)
{
	void *found = NULL;

	for (; map && !found; map = map->l_next)
		found = loaded_symbol(map, name);
	return found;
}

void *loaded_symbol_next(const char *name)
{
	const struct link_map *own = loaded_module((uintptr_t)__ehdr_start);

	return own ? loaded_symbol_from(own->l_next, name) : NULL;
}

const struct r_debug *loaded_debug(void)
{
	return libc_debug();
}

const struct link_map *loaded_module(uint64_t pc)
{
	const struct link_map *nearest = NULL;

	for (const struct link_map *map = libc_debug()->r_map; map;
	     map = map->l_next)
		if (map->l_addr <= pc &&
		    (!nearest || map->l_addr > nearest->l_addr))
			nearest = map;
	return nearest;
}
