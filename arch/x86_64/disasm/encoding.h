/* SPDX-License-Identifier: MIT */
/*
 * The parts of an instruction that uses general registers: Intel SDM volume 2,
 * 2.1. Any other prefix is taken for the opcode:
 *
 *	[66] [REX] [0f] opcode [ModRM [SIB] [displacement]] [immediate]
 */
#ifndef CLEW_DISASM_ENCODING_H
#define CLEW_DISASM_ENCODING_H

#include <stdint.h>
#include <string.h>

#include "disasm/decode.h"

#define REX_W 8
#define REX_R 4
#define REX_X 2
#define REX_B 1

/* An opcode that follows the byte 0f. */
#define SECOND(opcode) (0x100 | (opcode))

struct encoding {
	/* The byte after the opcode, even if it is no ModRM. */
	const uint8_t *modrm;
	const uint8_t *end;
	uint16_t opcode; /* SECOND(opcode) if the opcode follows 0f */
	uint8_t rex;
	uint8_t is_word; /* the prefix 66 makes operands 16 bits wide */
	uint8_t mod;     /* 3: rm is a register */
	uint8_t reg;
	uint8_t rm;
};

static inline struct encoding encoding_of(const uint8_t *code,
					  const struct insn *insn)
{
	struct encoding op = { .end = code + insn->length };

	if (*code == 0x66 && insn->length > 1) {
		op.is_word = 1;
		code++;
	}
	if ((*code & 0xf0) == 0x40 && op.end - code > 1)
		op.rex = *code++;
	if (op.rex & REX_W)
		op.is_word = 0;
	op.opcode = *code++;
	if (op.opcode == 0x0f && code < op.end)
		op.opcode = SECOND(*code++);
	op.modrm = code;
	if (code < op.end) {
		op.mod = *code >> 6;
		op.reg = (uint8_t)((op.rex & REX_R) << 1 | (*code >> 3 & 7));
		op.rm = (uint8_t)((op.rex & REX_B) << 3 | (*code & 7));
	}
	return op;
}

/* Returns the immediate at the end of the instruction, sign-extended. */
static inline int64_t encoding_immediate(const struct encoding *op,
					 unsigned int bytes)
{
	int16_t word;
	int32_t wide;

	if (bytes == 1)
		return (int8_t)op->end[-1];
	if (op->is_word) {
		memcpy(&word, op->end - sizeof(word), sizeof(word));
		return word;
	}
	memcpy(&wide, op->end - sizeof(wide), sizeof(wide));
	return wide;
}

/* Returns the operand size in bits, for instructions without byte operands. */
static inline unsigned int encoding_bits(const struct encoding *op)
{
	if (op->rex & REX_W)
		return 64;
	return op->is_word ? 16 : 32;
}

/*
 * Returns whether the operand is memory (base,index,1 << scale), with any
 * displacement.
 */
static inline int encoding_is_indexed(const struct encoding *op,
				      unsigned int scale, uint8_t *base,
				      uint8_t *index)
{
	const uint8_t *sib = op->modrm + 1;

	if (op->mod > 1 || (*op->modrm & 7) != 4 || *sib >> 6 != scale)
		return 0;
	*base = (uint8_t)((op->rex & REX_B) << 3 | (*sib & 7));
	*index = (uint8_t)((op->rex & REX_X) << 2 | (*sib >> 3 & 7));
	return *index != 4;
}

#endif
