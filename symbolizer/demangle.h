/* SPDX-License-Identifier: MIT */
/* Mangled names of C++, Rust and D as their programmers wrote them. */
#ifndef CLEW_SYMBOLIZER_DEMANGLE_H
#define CLEW_SYMBOLIZER_DEMANGLE_H

/*
 * The name to show for a symbol: demangled where it is mangled, without the
 * version that the linker appends ("@@GLIBC_2.34"), safe to print. free() it.
 */
char *demangle(const char *symbol);

#endif
