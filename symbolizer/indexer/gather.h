/* SPDX-License-Identifier: MIT */
/*
 * What is gathered about a module's code until it is written as an index.
 *
 * Debug information says where code comes from twice over: line tables have
 * rows, trees of scopes have ranges. Both arrive in pieces, unit after unit,
 * in any order of address, and are kept as two kinds of *runs*, each of which
 * is in order: a run of lines is a sequence of a line table; a run of chains
 * is what one function and all that was inlined into it cover. merge_rows.c
 * then sorts the runs, not the millions of items in them.
 *
 * Addresses are kept as 32-bit differences to `base`, the lowest address of
 * code. What is not inside an executable section is dropped: linkers leave the
 * debug information of functions that they discarded at 0 or at -1.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_GATHER_H
#define CLEW_SYMBOLIZER_INDEXER_GATHER_H

#include "symbolizer/indexer/elf.h"
#include "symbolizer/indexer/texts.h"

/* A row of a line table. The last of a run only says where the run ends. */
struct gather_row {
	uint32_t start;
	uint32_t file; /* of texts */
	uint32_t line;
	uint16_t column;
	uint16_t discriminator;
};

/* Code of one chain of inlined calls. */
struct gather_piece {
	uint32_t start;
	uint32_t end;
	uint32_t node; /* position in nodes */
};

/* Items [first, first + count), in order of address. */
struct gather_run {
	uint32_t start; /* of its first item */
	uint32_t first;
	uint32_t count;
};

struct gather_runs {
	struct gather_run *items;
	size_t count, capacity;
};

struct gather_symbol {
	uint64_t start;
	uint64_t bytes; /* 0: unknown */
	uint32_t name;
	uint8_t rank;        /* lower is better among those of one address */
	uint8_t is_full;     /* from .symtab, which leaves nothing out */
	uint8_t is_function; /* not a label or a resolver */
	uint8_t is_weak;
};

struct gather_area {
	uint64_t start, end;
};

struct gather {
	struct texts texts;
	struct gather_area *code; /* executable sections, in order */
	size_t code_count;
	uint64_t base, limit; /* of all code */
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
	int has_versions; /* it defines versions of symbols */
	int is_cut;       /* some code is more than 4 GiB behind base */
};

/* Learns from the module's own file where its code is. */
void gather_init(struct gather *gather, const struct elf *elf);

/* Whether vaddr is in code; then *end is where that area ends. */
int gather_is_code(const struct gather *gather, uint64_t vaddr, uint64_t *end);

static inline uint32_t gather_delta(const struct gather *gather, uint64_t vaddr)
{
	return (uint32_t)(vaddr - gather->base);
}

void gather_add_run(struct gather_runs *runs, uint32_t start, size_t first,
		    size_t count);

#endif
