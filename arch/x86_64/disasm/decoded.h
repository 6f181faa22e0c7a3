/* SPDX-License-Identifier: MIT */
/*
 * Instructions that were decoded before, by their bytes.
 *
 * How an instruction is to be read follows from its own bytes alone. Few thousand
 * make up most of a program, prologues above all, and the library takes 200 ns for
 * each; it takes 5 to find it here. A cache of one place for each hash: what was there
 * before is forgotten.
 */
#ifndef CLEW_DISASM_DECODED_H
#define CLEW_DISASM_DECODED_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/decode.h"

#define DECODED_COUNT 4096

/* What is known of an instruction. */
enum decoded_depth { DECODED_NOT, DECODED_KIND, DECODED_OPERANDS };

struct decoded_insn {
	uint8_t bytes[INSN_MAX_BYTES]; /* zeros behind its last */
	uint8_t depth;                 /* enum decoded_depth */
	struct insn insn;
};

/* All zeros is an empty one. */
struct decoded {
	struct decoded_insn insns[DECODED_COUNT];
	/* Of an instruction that began with the same bytes: a guess. */
	uint8_t lengths[DECODED_COUNT];
};

/* Whether it is known as far as that; then it is in *out. */
int decoded_find(const struct decoded *decoded, enum decoded_depth depth,
		 const uint8_t *code, size_t bytes, struct insn *out);

void decoded_keep(struct decoded *decoded, enum decoded_depth depth,
		  const uint8_t *code, const struct insn *insn);

#endif
