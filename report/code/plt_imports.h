/* SPDX-License-Identifier: MIT */
/*
 * The functions that an ELF file imports: which symbol the loader writes to
 * which address. Runs in a worker, because the file may be hostile.
 */
#ifndef CLEW_CODE_PLT_IMPORTS_H
#define CLEW_CODE_PLT_IMPORTS_H

#include "symbolizer/elf/elf.h"

struct plt_import {
	uint64_t slot;    /* vaddr to which the symbol's address is written */
	const char *name; /* points into the file */
};

/* Sorted by slot. */
struct plt_imports {
	struct plt_import *items;
	size_t count, capacity;
};

void plt_imports_init(struct plt_imports *imports, struct elf *elf);

/*
 * Returns the name of the symbol whose address the loader writes to `slot`, or
 * NULL.
 */
const char *plt_imports_find(const struct plt_imports *imports, uint64_t slot);

#endif
