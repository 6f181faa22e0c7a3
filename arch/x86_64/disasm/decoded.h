/* SPDX-License-Identifier: MIT */
/*
 * A cache of decoded instructions, by their openings (opening.h).
 *
 * The library takes 200 ns for an instruction. Finding an instruction here with
 * the same prefixes, opcode and ModRM takes 5 ns, and a few thousand of these
 * make up most of a program. Each hash has one slot; a new entry replaces the
 * old one.
 *
 * The first DECODED_FEW entries are stored side by side in few pages, for
 * callers that decode few instructions: the first access to a page takes as
 * long as decoding three instructions.
 */
#ifndef CLEW_DISASM_DECODED_H
#define CLEW_DISASM_DECODED_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/decode.h"
#include "disasm/opening.h"

#define DECODED_COUNT 16384
#define DECODED_FEW   512 /* first entries, which share this many slots */

/* Which fields of an entry are valid. */
enum decoded_depth { DECODED_NOT, DECODED_KIND, DECODED_OPERANDS };

struct decoded_insn {
	uint8_t opening[OPENING_MAX_BYTES]; /* zero after its last byte */
	/* Bit 0: is_baseless; bit 1 (DECODED_OPERANDS only): is_on_stack. */
	uint8_t base;
	uint8_t depth; /* enum decoded_depth */
	struct insn insn;
};

/* All zeros: empty. */
struct decoded {
	uint32_t kept;
	struct decoded_insn insns[DECODED_COUNT];
};

/*
 * Returns whether the instruction is cached to this depth and fits into
 * `bytes`; then stores it in *out.
 */
int decoded_find(const struct decoded *decoded, enum decoded_depth depth,
		 const uint8_t *code, size_t bytes, struct insn *out);

/* Caches the instruction at the beginning of `code`. */
void decoded_keep(struct decoded *decoded, enum decoded_depth depth,
		  const uint8_t *code, size_t bytes, const struct insn *insn);

#endif
