/* SPDX-License-Identifier: MIT */
/*
 * Finds where compiled code of a Java method (HotSpot's, JDK 17 and 25) is
 * entered and left, and whether a jump fits there (in_place.h). This module
 * reads bytes and calls no JVM.
 *
 *	entry	the instructions that create the frame. They follow the stack
 *		check, over which the JVM writes a jump to prevent new calls
 *	exits	the instructions that remove the frame, before each return and
 *		before each jump to the JVM with an exception
 *
 * The code is refused as a whole if other instructions are found there, if a
 * branch leads into them, or if an instruction is not understood.
 */
#ifndef CLEW_JVM_INPLACE_COMPILED_SHAPE_H
#define CLEW_JVM_INPLACE_COMPILED_SHAPE_H

#include <stdint.h>

#include "disasm/decode.h"
#include "image/arena.h"

#define SHAPE_JUMP_BYTES 5 /* bytes that are overwritten */
#define SHAPE_SITE_BYTES 11
#define SHAPE_EXITS_MAX  40
#define SHAPE_CODE_MAX   (1 << 20)

/* Whole instructions that can also be executed elsewhere. */
struct compiled_site {
	uint32_t at; /* offset in the code */
	uint8_t bytes;
	uint8_t code[SHAPE_SITE_BYTES];
};

/*
 * A rise is the distance from the stack pointer to the return address at that
 * location.
 */
struct compiled_shape {
	struct compiled_site entry;
	uint32_t entry_rise, exit_rise;
	uint32_t exit_count;
	struct compiled_site exits[SHAPE_EXITS_MAX];
};

/*
 * Reads code that is entered at verified_at. Returns 0; -ENOENT if it is not
 * entered any more; -ENOEXEC if it has another shape; -E2BIG if it is too large
 * or has too many exits; -ENOMEM.
 */
int compiled_shape_read(const struct decoder *decoder, struct arena *scratch,
			const uint8_t *code, uint32_t bytes,
			uint32_t verified_at, struct compiled_shape *out);

#endif
