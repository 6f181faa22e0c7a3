/* SPDX-License-Identifier: MIT */
/*
 * What Erlang's runtime registers by GDB's JIT interface, which is no ELF file: its own
 * debugger reads it. Of each module where its code is, and ranges of that, a function's or
 * a fragment's, with their names and lines; and once where the emulator's own code ends,
 * which has no names.
 *
 *	|head|name|range|name|line|file|line|file ... |range|name ...
 *
 * Without padding, numbers of the machine's byte order, names with their NULs. A copy is
 * read, which may hold anything. No libc, no vector registers.
 */
#ifndef CLEW_FRONT_ERLANG_SYMBOLS_H
#define CLEW_FRONT_ERLANG_SYMBOLS_H

#include <stdint.h>

struct erlang_symbol {
	uint64_t start, bytes;
	const char *name; /* in what is read */
};

struct erlang_symbols {
	const unsigned char *at, *end;
	uint64_t base;
	uint32_t left; /* ranges that were not read yet */
};

/* Whether it looks like one. What it has comes then. */
int erlang_symbols_begin(struct erlang_symbols *symbols,
			 const unsigned char *bytes, uint64_t size);

/* 0: no more, or it is damaged there. */
int erlang_symbols_next(struct erlang_symbols *symbols,
			struct erlang_symbol *out);

/* Whether all was read, to its end. */
int erlang_symbols_are_over(const struct erlang_symbols *symbols);

#endif
