/* SPDX-License-Identifier: MIT */
/*
 * Uses of the registers that a function must keep for its caller: rbx, rbp, r12
 * to r15 (System V ABI, x86-64, section 3.2.1).
 */
#ifndef CLEW_DISASM_KEPT_REGISTER_H
#define CLEW_DISASM_KEPT_REGISTER_H

#include <stdint.h>

#define KEPT_REGISTERS UINT32_C(0xf028) /* bit i: the register with number i */

/*
 * Returns whether the bytes of an instruction for which kept_use_of() returns
 * KEPT_IS_GONE_TO occur in the code, at any offset.
 */
static inline int kept_may_be_gone_to(const uint8_t *code, uint64_t bytes)
{
	for (uint64_t i = 1; i < bytes; i++)
		if (code[i - 1] == 0xff &&
		    ((code[i] & 0xf8) == 0xd0 || (code[i] & 0xf8) == 0xe0))
			return 1;
	return 0;
}

/* What an instruction at the start of a function does. */
enum kept_use {
	KEPT_IS_PASSED,  /* a push, or a move between registers */
	KEPT_IS_GONE_TO, /* a jump or call to the address in a register */
	KEPT_IS_UNKNOWN,
};

/*
 * *number becomes the number of the register that a move writes, or that a jump
 * or call reads, else 0.
 */
static inline enum kept_use kept_use_of(const uint8_t *code,
					unsigned int length,
					unsigned int *number)
{
	unsigned int at = length && *code == 0x3e, rex = 0; /* notrack */

	*number = 0;
	if (at < length && (code[at] & 0xf0) == 0x40)
		rex = code[at++];
	if (length == at + 1 && (code[at] & 0xf8) == 0x50)
		return KEPT_IS_PASSED;
	if (length != at + 2 || code[at + 1] < 0xc0)
		return KEPT_IS_UNKNOWN;
	*number = (code[at + 1] & 7) | (rex & 1) << 3;
	if (code[at] == 0xff &&
	    ((code[at + 1] >> 3 & 7) == 2 || (code[at + 1] >> 3 & 7) == 4))
		return KEPT_IS_GONE_TO;
	if (code[at] == 0x89)
		return KEPT_IS_PASSED;
	*number = (code[at + 1] >> 3 & 7) | (rex & 4) << 1;
	return code[at] == 0x8b ? KEPT_IS_PASSED : KEPT_IS_UNKNOWN;
}

#endif
