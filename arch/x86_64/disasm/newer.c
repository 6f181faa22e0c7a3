/* SPDX-License-Identifier: MIT */
/*
 * Computes the length of vector instructions without a table of opcodes. The
 * prefix gives the opcode map, and the map determines what follows the opcode
 * (Intel SDM volume 2, 2.3 and 2.7):
 *
 *	c5 P op		map 1			VEX, two bytes
 *	c4 P P op	map in bits 0-4		VEX, three bytes
 *	62 P P P op	map in bits 0-2		EVEX
 *
 *	map 1 (0f)	ModRM; imm8 for shuffles, shifts, compares, inserts
 *	map 2 (0f 38)	ModRM
 *	map 3 (0f 3a)	ModRM, imm8
 *	map 5, 6	ModRM			half precision, EVEX only
 *
 * None of these instructions is a branch. libc's string functions have many
 * that capstone 4 does not know, and a function that contains one could not be
 * hooked.
 */
#include "disasm/newer.h"

#include <errno.h>

#define UIRET 0xec /* 0f 01 ec returns from a user interrupt */

struct layout {
	uint8_t opcode_at;
	uint8_t map;
};

static int read_prefix(const uint8_t *code, size_t bytes, struct layout *out)
{
	if (bytes < 4)
		return -EILSEQ;
	switch (code[0]) {
	case 0xc5:
		*out = (struct layout){ 2, 1 };
		return 0;
	case 0xc4:
		*out = (struct layout){ 3, code[1] & 0x1f };
		return 0;
	case 0x62:
		*out = (struct layout){ 4, code[1] & 0x07 };
		return 0;
	default:
		return -EILSEQ;
	}
}

/*
 * Returns the length of the immediate, or -EILSEQ if the map lacks the opcode.
 */
static int immediate_bytes(unsigned int map, uint8_t opcode)
{
	switch (map) {
	case 1:
		if ((opcode & 0xf0) == 0x80 || opcode == 0x77)
			return -EILSEQ; /* formerly branches; no ModRM */
		return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
		       (opcode >= 0xc4 && opcode <= 0xc6);
	case 3:
		return 1;
	case 2:
	case 5:
	case 6:
		return 0;
	default:
		return -EILSEQ;
	}
}

/* Returns the length of ModRM, SIB and displacement; 0 if they are cut off. */
static size_t operand_bytes(const uint8_t *modrm, size_t bytes)
{
	unsigned int mod = modrm[0] >> 6;
	unsigned int rm = modrm[0] & 7;
	size_t length = 1;

	if (mod == 3)
		return length;
	if (rm == 4) {
		if (bytes < 2)
			return 0;
		rm = modrm[1] & 7; /* base 5 with mod 0: disp32 */
		length++;
	}
	if (mod == 1)
		length += 1;
	else if (mod == 2 || rm == 5)
		length += 4;
	return length;
}

/*
 * Sets the length of an instruction with ModRM at modrm_at, and an immediate at
 * its end.
 */
static int measure(const uint8_t *code, size_t bytes, size_t modrm_at,
		   int immediate, struct insn *out)
{
	struct insn insn = { .kind = INSN_PLAIN };
	size_t operands;
	size_t length;

	if (immediate < 0)
		return immediate;
	if (modrm_at >= bytes)
		return -EILSEQ;
	operands = operand_bytes(code + modrm_at, bytes - modrm_at);
	length = modrm_at + operands + (size_t)immediate;
	if (operands == 0 || length > bytes || length > INSN_MAX_BYTES)
		return -EILSEQ;
	insn.modrm_at = (uint8_t)modrm_at;
	if ((code[modrm_at] & 0xc7) == 0x05)
		insn.rip_disp_at = (uint8_t)(modrm_at + 1);
	insn.length = (uint8_t)length;
	*out = insn;
	return 0;
}

static int decode_vector(const uint8_t *code, size_t bytes, struct insn *out)
{
	struct layout layout;
	int err = read_prefix(code, bytes, &layout);

	if (err)
		return err;
	return measure(code, bytes, layout.opcode_at + 1U,
		       immediate_bytes(layout.map, code[layout.opcode_at]),
		       out);
}

/*
 * Decodes newer instructions without VEX. After 0f follows
 *
 *	38 op		ModRM		movdir64b, wrss, enqcmd...
 *	3a op		ModRM, imm8	gf2p8affineqb...
 *	1a to 1f	ModRM		hints: rdssp, cldemote...
 *	ae		ModRM		incssp, umwait, ptwrite...
 *	01, mod 3	ModRM		rdpkru, serialize...
 *	a6, a7, mod 3	ModRM		VIA's rep xstore, xcrypt, xsha
 */
static int decode_legacy(const uint8_t *code, size_t bytes, struct insn *out)
{
	size_t at = 0;
	uint8_t opcode;
	uint8_t next;

	while (at < bytes &&
	       (code[at] == 0x66 || code[at] == 0xf2 || code[at] == 0xf3))
		at++;
	if (at < bytes && (code[at] & 0xf0) == 0x40)
		at++;
	if (bytes - at < 3 || code[at] != 0x0f)
		return -EILSEQ;
	opcode = code[at + 1];
	next = code[at + 2];
	if (opcode == 0x38)
		return measure(code, bytes, at + 3, 0, out);
	if (opcode == 0x3a)
		return measure(code, bytes, at + 3, 1, out);
	if ((opcode >= 0x1a && opcode <= 0x1f) || opcode == 0xae)
		return measure(code, bytes, at + 2, 0, out);
	if ((opcode == 0x01 && next != UIRET) || opcode == 0xa6 ||
	    opcode == 0xa7)
		return next >> 6 == 3 ? measure(code, bytes, at + 2, 0, out)
				      : -EILSEQ;
	return -EILSEQ;
}

int newer_decode(const uint8_t *code, size_t bytes, struct insn *out)
{
	if (decode_legacy(code, bytes, out) == 0)
		return 0;
	return decode_vector(code, bytes, out);
}
