/* SPDX-License-Identifier: MIT */
/*
 * Making a function's stub from the template in hot/stub.S.
 */
#ifndef CLEW_STUBS_STUB_WRITE_H
#define CLEW_STUBS_STUB_WRITE_H

#include <stdint.h>

#include "disasm/decode.h"
#include "preload/stubs/window.h"

/* What all stubs of a module have in common. */
struct stub_constants {
	int32_t tls_offset; /* of struct hot_thread from fs */
	uint8_t whom;       /* whose calls they count: STUB_IS_OPEN, ... */
};

/* Offset of struct hot_thread from fs, the same in every thread. */
int32_t stub_tls_offset(void);

/* Of every stub, a multiple of the cache line. */
uint64_t stub_bytes(void);

/* Where in a stub the jump to it leads. */
uint64_t stub_entry_at(void);

/*
 * The bytes that guard a stub (hot/stub.S) if they are written over what
 * it has there: one by one, in any order, while anybody executes it. whom is
 * STUB_IS_GUARDED or STUB_IS_WARY.
 */
#define STUB_CHANGES_MAX 4
struct stub_change {
	uint16_t at; /* in the stub */
	uint8_t byte;
};
unsigned int stub_guard(uint8_t whom,
			struct stub_change changes[STUB_CHANGES_MAX]);

struct stub_function {
	uint32_t number;
	uint64_t pc; /* of the instructions that are patched */
	/* What they are, where that is not what stands there; or NULL. */
	const uint8_t *code;
	uint8_t displaced_bytes;
	uint8_t loops;   /* wire_loops() */
	uint8_t is_leaf; /* wire_is_leaf() */
};

/* Write a function's stub at `at`, to run at run_at. 0, or -errno from relocate(). */
int stub_write(const struct stub_constants *constants,
	       const struct decoder *decoder,
	       const struct stub_function *function, uint8_t *at,
	       uint64_t run_at);

/* Where in this stub its displaced instructions begin: there is room for a jump. */
uint64_t stub_displaced_at(const uint8_t *stub);

/*
 * Write at `at`, where it will run, the stub of a function that nothing is patched
 * for: its callers find the stub's entry in a table of functions. It goes on where
 * *cell says when it is called.
 */
void stub_write_through(const struct stub_constants *constants, uint32_t number,
			const uint64_t *cell, uint8_t *at);

#endif
