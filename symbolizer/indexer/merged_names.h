/* SPDX-License-Identifier: MIT */
/*
 * Functions that share their code: linkers and compilers merge equal functions
 * (identical code folding), so that one address has the names of several.
 *
 *	1880 W _ZN1TILi1EE1fEl  \
 *	1880 W _ZN1TILi2EE1fEl   } three functions
 *	1880 W _ZN1TILi3EE1fEl  /
 *	1890 T write            \
 *	1890 W __write          / one function, with an alias
 *
 * Names are those of one function if one of them is weak and not C++'s, if they differ in
 * underscores or prefixes, a version or a compiler's suffix, or if they have one
 * demangled form, as constructors do. C libraries define many standard names for one
 * function: in a library with symbol versions all names in C are taken for aliases.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_MERGED_NAMES_H
#define CLEW_SYMBOLIZER_INDEXER_MERGED_NAMES_H

#include "symbolizer/indexer/gather.h"

struct merged_names {
	struct index_merged *items; /* in order of entry */
	size_t count, capacity;
};

/*
 * Notes all symbols of one address; the first is the one that it is known by. Their
 * names need not be demangled yet.
 */
void merged_names_note(struct merged_names *merged, const struct gather *gather,
		       const struct gather_symbol *symbols, size_t count);

/* Drops aliases, when all names are demangled. */
void merged_names_settle(struct merged_names *merged,
			 const struct gather *gather);

#endif
