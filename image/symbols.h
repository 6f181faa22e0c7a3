/* SPDX-License-Identifier: MIT */
/*
 * Symbols of .symtab and .dynsym. Stripped modules have only the latter, and
 * executables often not even that. Without section headers, the table that the
 * loader uses is found through PT_DYNAMIC.
 */
#ifndef CLEW_IMAGE_SYMBOLS_H
#define CLEW_IMAGE_SYMBOLS_H

#include <stdint.h>

#include "image/image.h"

struct symbol {
	const char *name; /* points into the file */
	uint64_t vaddr;
	uint64_t size;
	/*
	 * Whether the type is FUNC or IFUNC. The code of an IFUNC is that of
	 * its resolver.
	 */
	uint8_t is_function;
	/* whether this module defines the symbol as an address */
	uint8_t is_defined;
	uint8_t is_exported; /* whether other modules can call the symbol */
};

/*
 * Called for each symbol. Returns 0 to continue. Any other result ends the walk
 * and becomes the result of symbols_walk().
 */
typedef int (*symbol_visit)(void *context, const struct symbol *symbol);

/*
 * Visits every symbol, but no more than any real module has. Returns 0, or the
 * result of a visit; skips damaged tables.
 */
int symbols_walk(const struct image *image, symbol_visit visit, void *context);

#endif
