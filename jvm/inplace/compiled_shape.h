/* SPDX-License-Identifier: MIT */
/*
 * Where compiled code of a Java method (HotSpot's, JDK 17 and 25) is entered and left, so
 * that a jump fits there (in_place.h). Bytes in, places out.
 *
 *	entry	the instructions that make the frame, behind those that look whether
 *		the stack ends, over which the machine writes a jump of its own once
 *		nobody is to enter
 *	exits	those that take the frame away: before each return and before each jump to
 *		the machine with an exception
 *
 * Whatever else is found where one of these should be, or a branch into them, or an
 * instruction that is not understood, and the code is refused as a whole.
 */
#ifndef CLEW_JVM_INPLACE_COMPILED_SHAPE_H
#define CLEW_JVM_INPLACE_COMPILED_SHAPE_H

#include <stdint.h>

#include "disasm/decode.h"
#include "image/arena.h"

#define SHAPE_JUMP_BYTES 5 /* of what is written there */
#define SHAPE_SITE_BYTES 11
#define SHAPE_EXITS_MAX  40
#define SHAPE_CODE_MAX   (1 << 20)

/* Whole instructions, which run as well elsewhere. */
struct compiled_site {
	uint32_t at; /* in the code */
	uint8_t bytes;
	uint8_t code[SHAPE_SITE_BYTES];
};

/* A rise: bytes from the stack pointer to the return address there. */
struct compiled_shape {
	struct compiled_site entry;
	uint32_t entry_rise, exit_rise;
	uint32_t exit_count;
	struct compiled_site exits[SHAPE_EXITS_MAX];
};

/*
 * Of code that is entered at verified_at. 0; -ENOENT: it is not entered any more; -ENOEXEC:
 * it is not as above; -E2BIG: it is too large, or has too many exits; -ENOMEM.
 */
int compiled_shape_read(const struct decoder *decoder, struct arena *scratch,
			const uint8_t *code, uint32_t bytes,
			uint32_t verified_at, struct compiled_shape *out);

#endif
