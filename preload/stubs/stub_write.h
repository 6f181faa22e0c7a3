/* SPDX-License-Identifier: MIT */
/* Writes a function's stub from the template in hot/stub.S. */
#ifndef CLEW_STUBS_STUB_WRITE_H
#define CLEW_STUBS_STUB_WRITE_H

#include <stdint.h>

#include "disasm/decode.h"
#include "preload/stubs/window.h"

/* Data that is the same for all stubs of a module. */
struct stub_constants {
	int32_t tls_offset; /* offset of struct hot_thread from fs */
	uint8_t counted;    /* which calls they count: STUB_IS_OPEN, ... */
};

/* Returns the offset of struct hot_thread from fs, the same in every thread. */
int32_t stub_tls_offset(void);

/* Returns the size of a stub, a multiple of the cache line. */
uint64_t stub_bytes(void);

/* Returns the offset of a stub's entry, the target of the jump to it. */
uint64_t stub_entry_at(void);

/*
 * Computes the bytes that turn a stub into a guarded one (hot/stub.S). The
 * bytes may be written one by one, in any order, while threads execute the
 * stub. counted is STUB_IS_GUARDED or STUB_IS_WARY.
 */
#define STUB_CHANGES_MAX 4
struct stub_change {
	uint16_t at; /* offset in the stub */
	uint8_t byte;
};
unsigned int stub_guard(uint8_t counted,
			struct stub_change changes[STUB_CHANGES_MAX]);

struct stub_function {
	uint32_t number;
	/* address of the instructions that the jump to the stub replaces */
	uint64_t pc;
	/*
	 * The original instructions, or NULL if memory at pc still contains
	 * them.
	 */
	const uint8_t *code;
	uint8_t displaced_bytes;
	uint8_t loops;   /* result of wire_loops() */
	uint8_t is_leaf; /* result of wire_is_leaf() */
};

/*
 * Writes a function's stub to `at`, as it must be to run at the address run_at.
 * Returns 0, -ENOSPC if the function has no index in a trace's table, or the
 * -errno of relocate().
 */
int stub_write(const struct stub_constants *constants,
	       const struct decoder *decoder,
	       const struct stub_function *function, uint8_t *at,
	       uint64_t run_at);

/*
 * Returns the offset of the displaced instructions in this stub. There is room
 * for at least a jump.
 */
uint64_t stub_displaced_at(const uint8_t *stub);

/*
 * Writes to `at`, where it will run, a stub for a function whose code is not
 * patched. Callers find the stub's entry in a table of function pointers. The
 * stub jumps to the function's address, which it reads from *cell at each call.
 */
void stub_write_through(const struct stub_constants *constants, uint32_t number,
			const uint64_t *cell, uint8_t *at);

#endif
