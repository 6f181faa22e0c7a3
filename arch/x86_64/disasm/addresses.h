/* SPDX-License-Identifier: MIT */
/*
 * Recognizes instructions that take the address of code, or of a table of code
 * addresses.
 */
#ifndef CLEW_DISASM_ADDRESSES_H
#define CLEW_DISASM_ADDRESSES_H

#include <stdint.h>
#include <string.h>

#include "disasm/decode.h"

static inline int32_t address_last_word(const uint8_t *code,
					const struct insn *insn)
{
	int32_t word;

	memcpy(&word, code + insn->length - sizeof(word), sizeof(word));
	return word;
}

/*
 * Returns whether the instruction is lea disp32(%rip), r64: REX.W 8d, mod 00 rm
 * 101. *distance is from the end of the instruction to the address.
 */
static inline int address_is_taken(const uint8_t *code, const struct insn *insn,
				   int32_t *distance)
{
	if (insn->length != 7 || (code[0] & 0xf8) != 0x48 || code[1] != 0x8d ||
	    (code[2] & 0xc7) != 0x05)
		return 0;
	*distance = address_last_word(code, insn);
	return 1;
}

/*
 * Returns whether the instruction is jmp *disp32(,%reg,8) or mov
 * disp32(,%reg,8), %reg: mod 00 rm 100, SIB with scale 8 and base 101, perhaps
 * after prefixes. *table is the table's address.
 */
static inline int address_is_indexed(const uint8_t *code,
				     const struct insn *insn, int32_t *table)
{
	const uint8_t *end = code + insn->length;

	if (insn->length < 7 || (end[-5] & 0xc7) != 0xc5 ||
	    (end[-6] & 0xc7) != 0x04 ||
	    (end[-7] != 0x8b && (end[-7] != 0xff || end[-6] != 0x24)))
		return 0;
	*table = address_last_word(code, insn);
	return 1;
}

#endif
