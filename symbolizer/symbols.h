/* SPDX-License-Identifier: MIT */
/*
 * The function symbols of one module, in order of address.
 *
 * They come from .symtab and .dynsym of the module's file and of its separate
 * debug file, where there is one. Where several symbols share an address, the
 * one a programmer would call the function by is kept: global before weak
 * before local, no leading underscore, then the shorter.
 */
#ifndef CLEW_SYMBOLIZER_SYMBOLS_H
#define CLEW_SYMBOLIZER_SYMBOLS_H

#include <stdint.h>

#include "symbolizer/elf_file.h"

struct symbols;

/*
 * Never NULL: a file that is gone, damaged or of another build gives an empty
 * set. Owns copies of all it keeps; no file stays open.
 */
struct symbols *symbols_open(const char *path, const struct build_id *wanted);

/*
 * The name of the function at vaddr, "name+0xoff" inside a longer symbol, or
 * NULL. Demangled and safe to print; free() it.
 */
char *symbols_name(const struct symbols *symbols, uint64_t vaddr);

void symbols_close(struct symbols *symbols);

#endif
