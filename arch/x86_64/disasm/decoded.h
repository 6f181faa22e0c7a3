/* SPDX-License-Identifier: MIT */
/*
 * Instructions that were decoded before, by their openings (opening.h).
 *
 * The library takes 200 ns for an instruction; it takes 5 to find here how one is to
 * be read that began with the same prefixes, opcode and ModRM. Few thousand of these make
 * up most of a program. A cache of one place for each hash: what was there before is
 * forgotten.
 *
 * Who decodes a few only has them side by side in few pages: each page that is met for
 * the first time takes as long as decoding three instructions.
 */
#ifndef CLEW_DISASM_DECODED_H
#define CLEW_DISASM_DECODED_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/decode.h"
#include "disasm/opening.h"

#define DECODED_COUNT 16384
#define DECODED_FEW   512 /* kept ones that share as many places */

/* What is known of an instruction. */
enum decoded_depth { DECODED_NOT, DECODED_KIND, DECODED_OPERANDS };

struct decoded_insn {
	uint8_t opening[OPENING_MAX_BYTES]; /* zeros behind its last */
	uint8_t base;  /* 1: is baseless; 2, if with operands: on the stack */
	uint8_t depth; /* enum decoded_depth */
	struct insn insn;
};

/* All zeros is an empty one. */
struct decoded {
	uint32_t kept;
	struct decoded_insn insns[DECODED_COUNT];
};

/* Whether it is known as far as that, and whole; then it is in *out. */
int decoded_find(const struct decoded *decoded, enum decoded_depth depth,
		 const uint8_t *code, size_t bytes, struct insn *out);

/* What was found out about the instruction that `bytes` bytes begin with. */
void decoded_keep(struct decoded *decoded, enum decoded_depth depth,
		  const uint8_t *code, size_t bytes, const struct insn *insn);

#endif
