/* SPDX-License-Identifier: MIT */
/* See symtab.h. */
#include "symbolizer/indexer/symtab.h"

#include <stdlib.h>

#include "symbolizer/elf/heap.h"
#include "symbolizer/elf/unfold.h"

static int is_mangled(const char *name)
{
	return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0;
}

static uint8_t rank_of(const Elf64_Sym *symbol, const char *name)
{
	unsigned int bind = ELF64_ST_BIND(symbol->st_info);
	unsigned int rank = bind == STB_GLOBAL || bind == STB_GNU_UNIQUE ? 0
			    : bind == STB_WEAK                           ? 2
									 : 4;

	if (ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE)
		/* Labels in assembler files have no type. */
		rank += 6;
	if (name[0] == '_' && !is_mangled(name))
		rank += 1;
	return (uint8_t)rank;
}

static int names_code(const Elf64_Sym *symbol)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
	       symbol->st_shndx != SHN_COMMON &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC ||
		type == STT_NOTYPE);
}

static void add(struct gather *gather, const Elf64_Sym *symbol,
		const char *name, int is_full)
{
	uint64_t end;

	/*
	 * Skips compilers' labels (".L1"). Names that begin with '$' are those
	 * of Swift; only other processors have mapping symbols such as "$x".
	 */
	if (!name || !*name || strncmp(name, ".L", 2) == 0 ||
	    !gather_is_code(gather, symbol->st_value, &end))
		return;
	gather->symbols = heap_reserve(
		gather->symbols, gather->symbol_count + 1,
		&gather->symbol_capacity, sizeof(*gather->symbols));
	gather->symbols[gather->symbol_count++] = (struct gather_symbol){
		.start = symbol->st_value,
		.bytes = symbol->st_size < end - symbol->st_value
				 ? symbol->st_size
				 : end - symbol->st_value,
		.name = texts_name(&gather->texts, name),
		.rank = rank_of(symbol, name),
		.is_full = (uint8_t)is_full,
		.is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC,
		.is_weak = ELF64_ST_BIND(symbol->st_info) == STB_WEAK,
	};
}

static void add_section(struct gather *gather, struct elf *elf,
			struct elf_section *section)
{
	struct span bytes = elf_bytes(elf, section);
	uint32_t link = section->header.sh_link;
	struct span names = link < elf->section_count
				    ? elf_bytes(elf, &elf->sections[link])
				    : (struct span){ 0 };
	Elf64_Sym symbol;

	for (size_t at = 0; at + sizeof(symbol) <= bytes.bytes;
	     at += sizeof(symbol)) {
		memcpy(&symbol, bytes.at + at, sizeof(symbol));
		if (names_code(&symbol))
			add(gather, &symbol, span_string(names, symbol.st_name),
			    section->header.sh_type == SHT_SYMTAB);
	}
}

/*
 * Adds the small symbol table that some distributions leave in stripped files.
 */
static void add_minidebug(struct gather *gather, struct elf *elf)
{
	struct elf_section *section = elf_section(elf, ".gnu_debugdata");
	struct elf inner;
	struct span bytes;

	if (!section || unfold_xz(elf_bytes(elf, section), &bytes) != 0)
		return;
	if (elf_open_bytes(&inner, bytes) != 0) {
		free((void *)bytes.at);
		return;
	}
	section = elf_section_of_type(&inner, SHT_SYMTAB);
	if (section)
		add_section(gather, &inner, section);
	elf_close(&inner);
}

size_t symtab_add(struct gather *gather, struct elf *elf)
{
	size_t before = gather->symbol_count;

	for (size_t i = 0; i < elf->section_count; i++) {
		uint32_t type = elf->sections[i].header.sh_type;

		if (type == SHT_SYMTAB || type == SHT_DYNSYM)
			add_section(gather, elf, &elf->sections[i]);
	}
	gather->has_versions |=
		elf_section_of_type(elf, SHT_GNU_verdef) != NULL;
	add_minidebug(gather, elf);
	return gather->symbol_count - before;
}

static const char *text_of(const struct gather *gather, uint32_t name)
{
	return texts_at(&gather->texts, gather->texts.names[name].symbol.at);
}

static int by_start_then_merit(const void *left, const void *right,
			       void *gather)
{
	const struct gather_symbol *a = left, *b = right;
	size_t a_length, b_length;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	a_length = strlen(text_of(gather, a->name));
	b_length = strlen(text_of(gather, b->name));
	if (a_length != b_length)
		return a_length < b_length ? -1 : 1;
	return strcmp(text_of(gather, a->name), text_of(gather, b->name));
}

static void note_merged(const struct gather *gather,
			struct merged_names *merged)
{
	const struct gather_symbol *symbols = gather->symbols;
	size_t first = 0;

	for (size_t i = 1; i <= gather->symbol_count; i++) {
		if (i < gather->symbol_count &&
		    symbols[i].start == symbols[first].start)
			continue;
		merged_names_note(merged, gather, &symbols[first], i - first);
		first = i;
	}
}

/*
 * Keeps the first symbol of each address, and gives it the longest of their
 * sizes. The symbols are sorted, the best one first. Returns the number of the
 * remaining ones.
 */
static size_t keep_best(struct gather_symbol *symbols, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct gather_symbol *last = kept ? &symbols[kept - 1] : NULL;

		if (!last || last->start != symbols[i].start) {
			symbols[kept++] = symbols[i];
			continue;
		}
		if (symbols[i].bytes > last->bytes)
			last->bytes = symbols[i].bytes;
		last->is_full |= symbols[i].is_full;
	}
	return kept;
}

/*
 * Removes symbols without a size that lie inside another symbol. Returns the
 * number of the remaining ones.
 */
static size_t drop_labels(struct gather_symbol *symbols, size_t count)
{
	uint64_t covered = 0;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t end = symbols[i].start + symbols[i].bytes;

		if (symbols[i].bytes == 0 && symbols[i].start < covered)
			continue;
		if (end > covered)
			covered = end;
		symbols[kept++] = symbols[i];
	}
	return kept;
}

/*
 * Gives a size to each symbol without one. A symbol from .symtab ends where the
 * next symbol begins. A symbol from .dynsym gets one byte, because .dynsym does
 * not have the local functions that may follow.
 */
static void give_sizes(const struct gather *gather,
		       struct gather_symbol *symbols, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t end = 0;

		if (symbols[i].bytes != 0)
			continue;
		gather_is_code(gather, symbols[i].start, &end);
		if (i + 1 < count && symbols[i + 1].start < end)
			end = symbols[i + 1].start;
		symbols[i].bytes =
			symbols[i].is_full ? end - symbols[i].start : 1;
	}
}

struct symtab_pieces {
	struct symtab_piece *items;
	size_t count, capacity;
	const struct gather *gather;
};

static void add_piece(struct symtab_pieces *pieces,
		      const struct gather_symbol *symbol, uint64_t start,
		      uint64_t end)
{
	if (start >= end)
		return;
	pieces->items = heap_reserve(pieces->items, pieces->count + 1,
				     &pieces->capacity, sizeof(*pieces->items));
	pieces->items[pieces->count++] = (struct symtab_piece){
		.start = gather_delta(pieces->gather, start),
		.end = gather_delta(pieces->gather, end),
		.entry = gather_delta(pieces->gather, symbol->start),
		.name = symbol->name,
	};
}

/*
 * Adds the pieces between the addresses `at` and `until`. open[] is a stack of
 * the symbols around `at`, the innermost last; symbols that end before `until`
 * are removed from it. Returns `until`.
 */
static uint64_t close_until(struct symtab_pieces *pieces,
			    const struct gather_symbol **open, size_t *depth,
			    uint64_t at, uint64_t until)
{
	while (*depth > 0) {
		const struct gather_symbol *top = open[*depth - 1];
		uint64_t end = top->start + top->bytes;

		add_piece(pieces, top, at, end < until ? end : until);
		if (end > at)
			at = end < until ? end : until;
		if (end > until)
			return until;
		--*depth;
	}
	return until;
}

struct symtab_piece *symtab_settle(struct gather *gather,
				   struct merged_names *merged, size_t *count)
{
	struct symtab_pieces pieces = { .gather = gather };
	const struct gather_symbol **open;
	size_t depth = 0, symbols;
	uint64_t at = 0;

	*count = 0;
	if (gather->symbol_count == 0)
		return NULL;
	qsort_r(gather->symbols, gather->symbol_count, sizeof(*gather->symbols),
		by_start_then_merit, gather);
	note_merged(gather, merged);
	symbols = keep_best(gather->symbols, gather->symbol_count);
	symbols = drop_labels(gather->symbols, symbols);
	give_sizes(gather, gather->symbols, symbols);
	open = heap_zeroed(symbols, sizeof(struct gather_symbol *));
	for (size_t i = 0; i < symbols; i++) {
		at = close_until(&pieces, open, &depth, at,
				 gather->symbols[i].start);
		open[depth++] = &gather->symbols[i];
	}
	close_until(&pieces, open, &depth, at, UINT64_MAX);
	free(open);
	*count = pieces.count;
	return pieces.items;
}
