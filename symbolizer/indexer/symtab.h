/* SPDX-License-Identifier: MIT */
/*
 * Symbols of code.
 *
 * If several symbols have one address, the one that a programmer would use is
 * chosen: global before weak before local, no leading underscore, then the
 * longer range, then the shorter name. A symbol inside another one keeps its
 * own bytes.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_SYMTAB_H
#define CLEW_SYMBOLIZER_INDEXER_SYMTAB_H

#include "symbolizer/elf/gather.h"
#include "symbolizer/indexer/merged_names.h"

/*
 * Adds the symbols of .symtab, .dynsym and .gnu_debugdata. Returns their
 * number.
 */
size_t symtab_add(struct gather *gather, struct elf *elf);

/* Disjoint pieces of symbols, sorted. */
struct symtab_piece {
	uint32_t start, end;
	uint32_t entry; /* start of the whole symbol */
	uint32_t name;
};

/*
 * Returns the pieces that result from all symbols; the caller frees them.
 * Stores names that share an address; call merged_names_settle() later.
 */
struct symtab_piece *symtab_settle(struct gather *gather,
				   struct merged_names *merged, size_t *count);

#endif
