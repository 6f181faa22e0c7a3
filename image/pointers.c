/* SPDX-License-Identifier: MIT */
/* See pointers.h. */
#include "image/pointers.h"

#include "image/dynamic.h"
#include "machine/elf_numbers.h"

#define MAX_ENTRIES    65536 /* maximum number of entries of a jump table */
#define NAME_BYTES_MAX 64    /* maximum size of a symbol's name */

struct pointer_walk {
	const struct image *image;
	pointer_visit visit;
	void *context;
};

static struct bytes table_of(const struct image *image, int64_t start_tag,
			     int64_t size_tag)
{
	struct bytes b = { image->bytes, image->bytes, 0 };
	uint64_t vaddr;
	uint64_t size;

	if (!dynamic_value(image, start_tag, &vaddr) ||
	    !dynamic_value(image, size_tag, &size))
		return b;
	b = image_bytes_at(image, vaddr);
	if (size < bytes_left(&b))
		b.end = b.at + size;
	return b;
}

/*
 * Returns the symbol with an index. A missing symbol is treated as undefined.
 */
static Elf64_Sym symbol_of(const struct image *image, uint64_t index)
{
	Elf64_Sym symbol = { .st_shndx = SHN_UNDEF };
	uint64_t table;
	struct bytes b;

	if (!dynamic_value(image, DT_SYMTAB, &table))
		return symbol;
	b = image_bytes_at(image, table);
	bytes_skip(&b, index * sizeof(symbol));
	if (bytes_left(&b) >= sizeof(symbol))
		memcpy(&symbol, b.at, sizeof(symbol));
	return symbol;
}

static void walk_rela(const struct pointer_walk *w)
{
	struct bytes b = table_of(w->image, DT_RELA, DT_RELASZ);

	while (bytes_left(&b) >= sizeof(Elf64_Rela)) {
		Elf64_Rela rela;

		memcpy(&rela, b.at, sizeof(rela));
		bytes_skip(&b, sizeof(rela));
		switch (ELF64_R_TYPE(rela.r_info)) {
		case RELOCATION_BASE:
		case RELOCATION_RESOLVED:
			w->visit(w->context, (uint64_t)rela.r_addend);
			break;
		case RELOCATION_ADDRESS:
			w->visit(w->context,
				 symbol_of(w->image, ELF64_R_SYM(rela.r_info))
						 .st_value +
					 (uint64_t)rela.r_addend);
			break;
		}
	}
}

static void visit_word_at(const struct pointer_walk *w, uint64_t vaddr)
{
	struct bytes b = image_bytes_at(w->image, vaddr);

	if (bytes_left(&b) >= 8)
		w->visit(w->context, bytes_unsigned(&b, 8));
}

/*
 * Visits the pointers of DT_RELR. An even word is the address of a pointer, an
 * odd one a bitmap of which of the next 63 words are also pointers.
 */
static void walk_relr(const struct pointer_walk *w)
{
	struct bytes b = table_of(w->image, DT_RELR, DT_RELRSZ);
	uint64_t vaddr = 0;

	while (bytes_left(&b) >= 8) {
		uint64_t word = bytes_unsigned(&b, 8);

		if (!(word & 1)) {
			visit_word_at(w, word);
			vaddr = word + 8;
			continue;
		}
		for (unsigned int i = 0; i < 63; i++)
			if (word >> (i + 1) & 1)
				visit_word_at(w, vaddr + 8 * i);
		vaddr += UINT64_C(8) * 63;
	}
}

static void walk_words(const struct pointer_walk *w)
{
	for (uint16_t i = 0; i < w->image->segment_count; i++) {
		const Elf64_Phdr *segment = w->image->segments + i;
		struct bytes b = image_bytes_at(w->image, segment->p_vaddr);

		if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X))
			continue;
		if (segment->p_filesz < bytes_left(&b))
			b.end = b.at + segment->p_filesz;
		bytes_skip(&b, -segment->p_vaddr % 8);
		while (bytes_left(&b) >= 8)
			w->visit(w->context, bytes_unsigned(&b, 8));
	}
}

void pointers_walk(const struct image *image, pointer_visit visit,
		   void *context)
{
	struct pointer_walk w = { image, visit, context };
	const Elf64_Ehdr *header = (const void *)image->bytes;

	walk_rela(&w);
	walk_relr(&w);
	if (header->e_type == ET_EXEC)
		walk_words(&w);
}

void pointers_walk_linked_calls(const struct image *image, pointer_visit visit,
				void *context)
{
	struct bytes b = table_of(image, DT_JMPREL, DT_PLTRELSZ);

	while (bytes_left(&b) >= sizeof(Elf64_Rela)) {
		Elf64_Rela rela;
		Elf64_Sym symbol;

		memcpy(&rela, b.at, sizeof(rela));
		bytes_skip(&b, sizeof(rela));
		if (ELF64_R_TYPE(rela.r_info) != RELOCATION_PLT)
			continue;
		symbol = symbol_of(image, ELF64_R_SYM(rela.r_info));
		if (symbol.st_shndx != SHN_UNDEF)
			visit(context, symbol.st_value);
	}
}

struct named_walk {
	struct bytes symbols;
	struct bytes strings;
	named_visit visit;
	void *context;
};

/*
 * Returns the name at an offset, or "" if it is too long. A hostile file may
 * have many names without an end, and long names are not needed.
 */
static const char *name_at(const struct named_walk *w, uint32_t offset)
{
	struct bytes b = w->strings;
	size_t left;

	bytes_skip(&b, offset);
	left = bytes_left(&b);
	if (left > NAME_BYTES_MAX)
		left = NAME_BYTES_MAX;
	return memchr(b.at, '\0', left) ? (const char *)b.at : "";
}

static void visit_named(const struct named_walk *w, const Elf64_Rela *rela)
{
	const uint64_t type = ELF64_R_TYPE(rela->r_info);
	struct bytes b = w->symbols;
	struct named_pointer pointer = { .slot_vaddr = rela->r_offset };
	Elf64_Sym symbol;

	pointer.is_linked = type == RELOCATION_GOT || type == RELOCATION_PLT;
	if (!pointer.is_linked &&
	    (type != RELOCATION_ADDRESS || rela->r_addend != 0))
		return;
	bytes_skip(&b, ELF64_R_SYM(rela->r_info) * sizeof(symbol));
	if (bytes_left(&b) < sizeof(symbol))
		return;
	memcpy(&symbol, b.at, sizeof(symbol));
	pointer.name = name_at(w, symbol.st_name);
	if (symbol.st_shndx != SHN_UNDEF)
		pointer.vaddr = symbol.st_value;
	w->visit(w->context, &pointer);
}

static void walk_named(const struct named_walk *w, struct bytes b)
{
	while (bytes_left(&b) >= sizeof(Elf64_Rela)) {
		Elf64_Rela rela;

		memcpy(&rela, b.at, sizeof(rela));
		bytes_skip(&b, sizeof(rela));
		visit_named(w, &rela);
	}
}

void pointers_walk_named(const struct image *image, named_visit visit,
			 void *context)
{
	struct named_walk w = { .visit = visit, .context = context };
	uint64_t symbols, strings;

	if (!dynamic_value(image, DT_SYMTAB, &symbols) ||
	    !dynamic_value(image, DT_STRTAB, &strings))
		return;
	w.symbols = image_bytes_at(image, symbols);
	w.strings = image_bytes_at(image, strings);
	walk_named(&w, table_of(image, DT_RELA, DT_RELASZ));
	walk_named(&w, table_of(image, DT_JMPREL, DT_PLTRELSZ));
}

void pointers_walk_distances(const struct image *image, uint64_t vaddr,
			     table_visit visit, void *context)
{
	struct bytes b = image_bytes_at(image, vaddr);

	for (int i = 0; i < MAX_ENTRIES && bytes_left(&b) >= 4; i++)
		if (!visit(context, vaddr + (uint64_t)bytes_signed(&b, 4)))
			return;
}

void pointers_walk_addresses(const struct image *image, uint64_t vaddr,
			     table_visit visit, void *context)
{
	struct bytes b = image_bytes_at(image, vaddr);

	for (int i = 0; i < MAX_ENTRIES && bytes_left(&b) >= 8; i++)
		if (!visit(context, bytes_unsigned(&b, 8)))
			return;
}
