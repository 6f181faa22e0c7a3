/* SPDX-License-Identifier: MIT */
/*
 * Parses the data that Erlang's runtime registers through GDB's JIT interface.
 * The data is no ELF file; only Erlang's own debugger reads it. For each module
 * it contains the address of its code, and ranges with names and lines, each of
 * a function or a fragment. Once it also describes the end of the emulator's
 * own code, without names.
 *
 *	|head|name|range|name|line|file|line|file ... |range|name ...
 *
 * There is no padding; numbers have the native byte order, and names include
 * their NULs. The input is a copy and may contain anything. Uses no libc
 * functions and no vector registers.
 */
#ifndef CLEW_GENERATED_ERLANG_SYMBOLS_H
#define CLEW_GENERATED_ERLANG_SYMBOLS_H

#include <stdint.h>

struct erlang_symbol {
	uint64_t start, bytes;
	const char *name; /* points into the input */
};

struct erlang_symbols {
	const unsigned char *at, *end;
	uint64_t base;
	uint32_t left; /* ranges not read yet */
};

/* Begins to parse. Returns whether the data may have this format. */
int erlang_symbols_begin(struct erlang_symbols *symbols,
			 const unsigned char *bytes, uint64_t size);

/* Reads the next symbol. Returns 0 at the end, or if the data is damaged. */
int erlang_symbols_next(struct erlang_symbols *symbols,
			struct erlang_symbol *out);

/* Returns whether the data was read up to its end. */
int erlang_symbols_are_over(const struct erlang_symbols *symbols);

#endif
