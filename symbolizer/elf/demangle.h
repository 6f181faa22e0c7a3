/* SPDX-License-Identifier: MIT */
/* Demangling of C++, Rust and D names; see a2n_demangle() in the public header. */
#ifndef CLEW_SYMBOLIZER_ELF_DEMANGLE_H
#define CLEW_SYMBOLIZER_ELF_DEMANGLE_H

#include "symbolizer/a2n.h"

/* Limit of a name in bytes: a longer one ends with "...". */
enum { DEMANGLE_LONGEST = 8 * 1024 };

/*
 * Returns whether demangling may change the name. Most names of C are not
 * mangled.
 */
int demangle_is_mangled(const char *symbol);

#endif
