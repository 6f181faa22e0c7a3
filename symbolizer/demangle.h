/* SPDX-License-Identifier: MIT */
/*
 * Mangled names of C++, Rust and D as their programmers wrote them; see
 * a2n_demangle() in the public header.
 */
#ifndef CLEW_SYMBOLIZER_DEMANGLE_H
#define CLEW_SYMBOLIZER_DEMANGLE_H

#include "symbolizer/a2n.h"

/* Whether demangling may change the name. Most names of C are not mangled. */
int demangle_is_mangled(const char *symbol);

#endif
