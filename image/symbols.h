/* SPDX-License-Identifier: MIT */
/*
 * Function symbols of .symtab and .dynsym. Stripped modules have the latter
 * only, and executables often not even that.
 */
#ifndef CLEW_IMAGE_SYMBOLS_H
#define CLEW_IMAGE_SYMBOLS_H

#include <stdint.h>

#include "image/image.h"

struct symbol {
	const char *name; /* points into the file */
	uint64_t vaddr;
	uint64_t size;
};

/* 0 to go on, or the value that symbols_walk() is to return. */
typedef int (*symbol_visit)(void *context, const struct symbol *symbol);

/*
 * Visit every defined symbol of type FUNC or IFUNC (whose code is its
 * resolver). 0, or what a visit returned; damaged tables are passed over.
 */
int symbols_walk(const struct image *image, symbol_visit visit, void *context);

#endif
