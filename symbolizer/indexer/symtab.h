/* SPDX-License-Identifier: MIT */
/*
 * Symbols: what the linker calls code.
 *
 * Where several share an address, the one a programmer would call the function
 * by is kept: global before weak before local, no leading underscore, then the
 * longer range, then the shorter name. Where one lies inside another, the
 * inner has its own bytes.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_SYMTAB_H
#define CLEW_SYMBOLIZER_INDEXER_SYMTAB_H

#include "symbolizer/indexer/gather.h"
#include "symbolizer/indexer/merged_names.h"

/* Adds those of .symtab, .dynsym and .gnu_debugdata. How many there were. */
size_t symtab_add(struct gather *gather, struct elf *elf);

/* The settled pieces, in order, disjoint. */
struct symtab_piece {
	uint32_t start, end;
	uint32_t entry; /* where its symbol starts */
	uint32_t name;
};

/*
 * The pieces that all added symbols come to. free() them. Names that share an address are
 * noted, and still to be settled.
 */
struct symtab_piece *symtab_settle(struct gather *gather,
				   struct merged_names *merged, size_t *count);

#endif
