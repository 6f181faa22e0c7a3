/* SPDX-License-Identifier: MIT */
/*
 * Symbols of .symtab and .dynsym. Stripped modules have the latter only, and
 * executables often not even that. Where section headers are missing, the
 * table that the loader uses is found through PT_DYNAMIC.
 */
#ifndef CLEW_IMAGE_SYMBOLS_H
#define CLEW_IMAGE_SYMBOLS_H

#include <stdint.h>

#include "image/image.h"

struct symbol {
	const char *name; /* points into the file */
	uint64_t vaddr;
	uint64_t size;
	/* Of type FUNC, or IFUNC, whose code is its resolver. */
	uint8_t is_function;
	uint8_t is_defined;  /* in this module, and not just a number */
	uint8_t is_exported; /* other modules can call it */
};

/* 0 to go on, or the value that symbols_walk() is to return. */
typedef int (*symbol_visit)(void *context, const struct symbol *symbol);

/* Visit every symbol. 0, or what a visit returned; damaged tables are passed
 * over. */
int symbols_walk(const struct image *image, symbol_visit visit, void *context);

#endif
