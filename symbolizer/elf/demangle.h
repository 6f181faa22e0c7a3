/* SPDX-License-Identifier: MIT */
/*
 * Demangling of C++, Rust and D names: limits of a2n_demangle(), which
 * symbolizer/a2n.h declares.
 */
#ifndef CLEW_SYMBOLIZER_ELF_DEMANGLE_H
#define CLEW_SYMBOLIZER_ELF_DEMANGLE_H

#include "symbolizer/a2n.h"

/*
 * Maximum length of a name in bytes. A longer name is cut and ends with "...".
 */
enum { DEMANGLE_LONGEST = 8 * 1024 };

/*
 * Returns whether the symbol begins like a mangled name. Returns 0 for most
 * names of C.
 */
int demangle_is_mangled(const char *symbol);

#endif
