/* SPDX-License-Identifier: MIT */
/*
 * The pieces of code to which compiled methods jump where they are entered and left:
 *
 *	method				stub
 *	jmp stub ------------------->	entry -> id -> count
 *					the instructions that stood there
 *	... <------------------------	jmp back
 *
 *	jmp its exit -------------->	the caller's id
 *					the instructions that stood there
 *	ret <------------------------	jmp back
 *
 * The stack is the method's own all the time, return addresses included: the machine, which
 * reads them, finds what it has put there. What is known of a call lies in the shadow
 * (preload/hot/shadow.h) of two words of its frame, which no stub uses as well:
 *
 *	return address	{the same, the caller's id}
 *	below that	{the slot of the call below which it is, serial and number}
 */
#ifndef CLEW_JVM_INPLACE_IN_PLACE_CODE_H
#define CLEW_JVM_INPLACE_IN_PLACE_CODE_H

#include <stdint.h>

#include "jvm/inplace/compiled_shape.h"

/* In front of all stubs, in reach of them: where they go if not all is as usual. */
struct in_place_ways {
	void (*enter)(void), (*miss)(void), (*due)(void);
};

/* What one method's stub is made of. */
struct in_place_stub {
	const struct compiled_shape *shape;
	uint64_t code;   /* of the method */
	uint32_t number; /* that it counts as */
	uint32_t serial; /* of this stub: no other ever has it */
	const struct in_place_ways *ways;
};

#define IN_PLACE_STUB_UNIT 64

/* Bytes of a stub, a multiple of the unit. */
uint32_t in_place_code_bytes(const struct compiled_shape *shape);

/* Write a stub at `at`, where it will run. */
void in_place_code_write(const struct in_place_stub *stub, uint8_t *at);

/* What is to be written at a site then: the entry, or behind it an exit. */
void in_place_code_jump(const struct in_place_stub *stub, const uint8_t *at,
			uint32_t site, uint8_t jump[SHAPE_JUMP_BYTES]);

/* What stubs call, with all registers but r10 and r11 kept (in_place.S). */
void in_place_thunk_enter(void);
void in_place_thunk_miss(void);
void in_place_thunk_due(void);

#endif
