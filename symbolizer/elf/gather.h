/* SPDX-License-Identifier: MIT */
/*
 * Data about a module's code that is collected before it is written as an
 * index.
 *
 * Debug information describes the origin of code twice: line tables have rows,
 * and trees of scopes have ranges. Both arrive in pieces, one unit after
 * another, in any order of addresses. Two kinds of sorted *runs* store them. A
 * run of lines is a sequence of a line table; a run of chains is the code of
 * one function with everything inlined into it. merge_rows.c then sorts the
 * runs and not the millions of items in them.
 *
 * Addresses are stored as 32-bit differences to `base`, the lowest address of
 * code. Addresses outside of executable sections are dropped: linkers leave the
 * debug information of discarded functions at 0 or -1.
 */
#ifndef CLEW_SYMBOLIZER_ELF_GATHER_H
#define CLEW_SYMBOLIZER_ELF_GATHER_H

#include "symbolizer/elf/elf.h"
#include "symbolizer/elf/texts.h"

/*
 * A row of a line table. A run's last row has no code: its `start` is the end
 * of the row before it.
 */
struct gather_row {
	uint32_t start;
	uint32_t file; /* index in texts */
	uint32_t line;
	uint16_t column;
	uint16_t discriminator;
};

/* A range of code in which the chain of inlined calls is the same. */
struct gather_piece {
	uint32_t start;
	uint32_t end;
	uint32_t node; /* position of the innermost call in gather.nodes */
};

/* Items [first, first + count), sorted by address. */
struct gather_run {
	uint32_t start; /* address of the run's first item */
	uint32_t first;
	uint32_t count;
};

struct gather_runs {
	struct gather_run *items;
	size_t count, capacity;
};

struct gather_symbol {
	uint64_t start;
	uint64_t bytes; /* size of the symbol; 0 if it is unknown */
	uint32_t name;
	uint8_t rank; /* among symbols of one address, the lowest is best */
	/*
	 * whether the symbol is from .symtab, which usually has all functions
	 * of the module
	 */
	uint8_t is_full;
	/* whether the symbol is neither a label nor a resolver */
	uint8_t is_function;
	uint8_t is_weak;
};

struct gather_area {
	uint64_t start, end;
};

struct gather {
	struct texts texts;
	struct gather_area *code; /* executable sections, sorted */
	size_t code_count;
	/* lowest address of code, and end of the highest */
	uint64_t base, limit;
	struct gather_row *rows;
	size_t row_count, row_capacity;
	struct gather_runs row_runs;
	struct gather_piece *pieces;
	size_t piece_count, piece_capacity;
	struct gather_runs piece_runs;
	uint8_t *nodes;
	size_t node_bytes, node_capacity;
	struct gather_symbol *symbols;
	size_t symbol_count, symbol_capacity;
	int has_versions; /* whether the module defines symbol versions */
	int is_cut; /* whether code more than 4 GiB above base was dropped */
};

/* Reads the module's file to find its code. */
void gather_init(struct gather *gather, const struct elf *elf);

/*
 * Returns whether vaddr is in code; then sets *end to the end of that section.
 */
int gather_is_code(const struct gather *gather, uint64_t vaddr, uint64_t *end);

static inline uint32_t gather_delta(const struct gather *gather, uint64_t vaddr)
{
	return (uint32_t)(vaddr - gather->base);
}

void gather_add_run(struct gather_runs *runs, uint32_t start, size_t first,
		    size_t count);

#endif
