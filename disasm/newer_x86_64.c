/* SPDX-License-Identifier: MIT */
/*
 * Vector instructions need no table to be measured. Their prefix names the
 * opcode map, and the map says what follows the opcode (Intel SDM volume 2,
 * 2.3 and 2.7):
 *
 *	c5 P op		map 1			VEX, two bytes
 *	c4 P P op	map in bits 0-4		VEX, three bytes
 *	62 P P P op	map in bits 0-2		EVEX
 *
 *	map 1 (0f)	ModRM; imm8 behind shuffles, shifts, compares, inserts
 *	map 2 (0f 38)	ModRM
 *	map 3 (0f 3a)	ModRM, imm8
 *	map 5, 6	ModRM			half precision, EVEX only
 *
 * None of them is a branch. libc's string functions are full of those that
 * capstone 4 does not know, and a function that holds one could not be hooked.
 */
#include "disasm/newer_x86_64.h"

#include <errno.h>

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

/* Bytes of the immediate, or -EILSEQ where the map has no such opcode. */
static int immediate_bytes(unsigned int map, uint8_t opcode)
{
	switch (map) {
	case 1:
		if ((opcode & 0xf0) == 0x80 || opcode == 0x77)
			return -EILSEQ; /* branches once; no ModRM */
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

/* ModRM, SIB and displacement together; 0 if they are cut off. */
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
		rm = modrm[1] & 7; /* base 5 without mod: disp32 */
		length++;
	}
	if (mod == 1)
		length += 1;
	else if (mod == 2 || rm == 5)
		length += 4;
	return length;
}

static int decode_vector(const uint8_t *code, size_t bytes, struct insn *out)
{
	struct insn insn = { .kind = INSN_PLAIN };
	struct layout layout;
	size_t operands;
	size_t length;
	int immediate;
	int err = read_prefix(code, bytes, &layout);

	if (err)
		return err;
	insn.modrm_at = layout.opcode_at + 1;
	if (insn.modrm_at >= bytes)
		return -EILSEQ;
	immediate = immediate_bytes(layout.map, code[layout.opcode_at]);
	if (immediate < 0)
		return immediate;
	operands = operand_bytes(code + insn.modrm_at, bytes - insn.modrm_at);
	length = insn.modrm_at + operands + (size_t)immediate;
	if (operands == 0 || length > bytes)
		return -EILSEQ;
	if ((code[insn.modrm_at] & 0xc7) == 0x05)
		insn.rip_disp_at = insn.modrm_at + 1;
	insn.length = (uint8_t)length;
	*out = insn;
	return 0;
}

/* rdpkru 0f 01 ee, wrpkru 0f 01 ef */
static int is_protection_key(const uint8_t *code, size_t bytes)
{
	return bytes >= 3 && code[0] == 0x0f && code[1] == 0x01 &&
	       (code[2] & 0xfe) == 0xee;
}

int newer_decode(const uint8_t *code, size_t bytes, struct insn *out)
{
	if (!is_protection_key(code, bytes))
		return decode_vector(code, bytes, out);
	*out = (struct insn){ .kind = INSN_PLAIN, .length = 3 };
	return 0;
}
