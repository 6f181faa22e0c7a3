/* SPDX-License-Identifier: MIT */
/*
 * Functions that share their code. Linkers and compilers merge equal functions
 * (identical code folding), so one address has the names of several functions.
 *
 *	1880 W _ZN1TILi1EE1fEl  \
 *	1880 W _ZN1TILi2EE1fEl   } three functions
 *	1880 W _ZN1TILi3EE1fEl  /
 *	1890 T write            \
 *	1890 W __write          / one function, with an alias
 *
 * Names are aliases of one function in these cases: one is weak, and one is not
 * of C++ or Rust; they differ in underscores or prefixes, a version, or a
 * compiler's suffix; or they have the same demangled form, as constructors do.
 * C libraries define many standard names for one function, so in a library with
 * symbol versions all C names count as aliases.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_MERGED_NAMES_H
#define CLEW_SYMBOLIZER_INDEXER_MERGED_NAMES_H

#include "symbolizer/elf/gather.h"

struct merged_names {
	/*
	 * Sorted by entry. Before merged_names_settle(), `count` of an item is
	 * the name that reports use for the address.
	 */
	struct index_merged *items;
	size_t count, capacity;
};

/*
 * Stores all symbols of one address, of which reports use the first as the name
 * of the address. The names need not be demangled yet.
 */
void merged_names_note(struct merged_names *merged, const struct gather *gather,
		       const struct gather_symbol *symbols, size_t count);

/* Removes aliases. Call it after all names are demangled. */
void merged_names_settle(struct merged_names *merged,
			 const struct gather *gather);

#endif
