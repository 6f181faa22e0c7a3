/* SPDX-License-Identifier: MIT */
/*
 * Chooses the names of code from the symbol tables of a module.
 *
 * If several symbols have one address, the one that a programmer would use is
 * chosen: global before weak before local, no leading underscore, then the
 * longer range, then the shorter name. If one symbol lies inside the range of
 * another, its bytes belong to the inner one only.
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

/*
 * A range of code that belongs to one symbol. Pieces are disjoint and sorted.
 * Addresses are relative to gather.base.
 */
struct symtab_piece {
	uint32_t start, end;
	uint32_t entry; /* start of the whole symbol */
	uint32_t name;
};

/*
 * Returns the *count pieces that all added symbols result in, which the caller
 * frees; NULL if there are no symbols. Adds names that share an address to
 * *merged, from which merged_names_settle() must later remove aliases.
 */
struct symtab_piece *symtab_settle(struct gather *gather,
				   struct merged_names *merged, size_t *count);

#endif
