/* SPDX-License-Identifier: MIT */
/*
 * Finds the instructions at which compiled code of a Java method (HotSpot's,
 * JDK 17 and 25) is entered and left, and whether jumps can replace these
 * instructions (in_place.h). This module only reads the code's bytes, without a
 * JVM.
 *
 *	entry	the instructions that create the frame, or the instruction that
 *		saves rbp in it, behind the first 5 bytes, over which the JVM
 *		writes a jump to prevent new calls
 *	exits	the instructions that remove the frame, before each return and
 *		before each jump to the JVM with an exception
 *
 * The code is refused as a whole if its entry or an exit consists of other
 * instructions, if a branch leads into these instructions, or if an instruction
 * of the code is not understood.
 */
#ifndef CLEW_JVM_INPLACE_COMPILED_SHAPE_H
#define CLEW_JVM_INPLACE_COMPILED_SHAPE_H

#include <stdint.h>

#include "disasm/decode.h"
#include "image/arena.h"

/* Size of the jump that is written at an entry or exit. */
#define SHAPE_JUMP_BYTES 5
#define SHAPE_SITE_BYTES 11
#define SHAPE_EXITS_MAX  40
#define SHAPE_CODE_MAX   (1 << 20)

/* An entry or exit: whole instructions that can also be executed in a stub. */
struct compiled_site {
	uint32_t at; /* offset in the code */
	uint8_t bytes;
	uint8_t code[SHAPE_SITE_BYTES];
};

/*
 * A rise is the distance in bytes from the stack pointer to the return address,
 * before the instructions of the entry or exit.
 */
struct compiled_shape {
	struct compiled_site entry;
	uint32_t entry_rise, exit_rise;
	uint32_t exit_count;
	struct compiled_site exits[SHAPE_EXITS_MAX];
};

/*
 * Reads the code of a method, whose verified entry is at offset verified_at.
 * `scratch` is used for working memory. Returns 0; -ENOENT if the JVM has
 * closed the entry; -ENOEXEC if the code is refused; -E2BIG if it is too large
 * or has too many exits; -ENOMEM.
 */
int compiled_shape_read(const struct decoder *decoder, struct arena *scratch,
			const uint8_t *code, uint32_t bytes,
			uint32_t verified_at, struct compiled_shape *out);

#endif
