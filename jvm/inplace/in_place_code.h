/* SPDX-License-Identifier: MIT */
/*
 * The stubs to which compiled methods jump where they are entered and left:
 *
 *	method			      stub
 *	jmp stub -------------------> entry -> id -> count
 *				      the displaced instructions
 *	... <------------------------ jmp back
 *
 *	jmp its exit ---------------> restore the caller's id
 *				      the displaced instructions
 *	ret <------------------------ jmp back
 *
 * The stack always contains the method's own data, including return addresses,
 * because the JVM reads them. The data of a call is in the shadow
 * (preload/hot/shadow.h) of two words of its frame, which no ordinary stub
 * uses:
 *
 *	return address	{return address, the caller's id}
 *	the word below	{slot of the outer call, serial and number}
 */
#ifndef CLEW_JVM_INPLACE_IN_PLACE_CODE_H
#define CLEW_JVM_INPLACE_IN_PLACE_CODE_H

#include <stdint.h>

#include "jvm/inplace/compiled_shape.h"

/*
 * Addresses of the thunks by which stubs call C code. One such table lies in
 * front of all stubs, at most 2^31 bytes from each.
 */
struct in_place_ways {
	void (*enter)(void), (*miss)(void), (*due)(void);
};

/* The data from which a stub is generated. */
struct in_place_stub {
	const struct compiled_shape *shape;
	uint64_t code;   /* address of the method's code */
	uint32_t number; /* number of the method */
	uint32_t serial; /* serial of this stub, which no other stub gets */
	const struct in_place_ways *ways;
};

#define IN_PLACE_STUB_UNIT 64

/* Returns the size of a stub in bytes, a multiple of IN_PLACE_STUB_UNIT. */
uint32_t in_place_code_bytes(const struct compiled_shape *shape);

/*
 * Writes a stub to the address `at`, at which it will be executed; the memory
 * is writable.
 */
void in_place_code_write(const struct in_place_stub *stub, uint8_t *at);

/*
 * Computes the jump from a method to its stub at `at`. `site` 0 is the jump at
 * the method's entry, site i that at exit i - 1.
 */
void in_place_code_jump(const struct in_place_stub *stub, const uint8_t *at,
			uint32_t site, uint8_t jump[SHAPE_JUMP_BYTES]);

/*
 * Stubs call these thunks, which preserve all registers but r10 and r11
 * (in_place.S).
 */
void in_place_thunk_enter(void);
void in_place_thunk_miss(void);
void in_place_thunk_due(void);

#endif
