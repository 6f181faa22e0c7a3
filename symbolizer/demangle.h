/* SPDX-License-Identifier: MIT */
/*
 * Mangled names of C++ and Rust as their programmers wrote them; see
 * a2n_demangle() in the public header.
 */
#ifndef CLEW_SYMBOLIZER_DEMANGLE_H
#define CLEW_SYMBOLIZER_DEMANGLE_H

#include "symbolizer/a2n.h"

/* No name is longer, in bytes: the end of a longer one becomes "...". */
enum { DEMANGLE_LONGEST = 8 * 1024 };

/* Whether demangling may change the name. Most names of C are not mangled. */
int demangle_is_mangled(const char *symbol);

#endif
