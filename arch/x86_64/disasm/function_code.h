/* SPDX-License-Identifier: MIT */
/*
 * How compilers lay functions out: at multiples of 16, and often with an endbr64
 * in front, without which a processor may refuse to enter them by a pointer.
 */
#ifndef CLEW_DISASM_FUNCTION_CODE_H
#define CLEW_DISASM_FUNCTION_CODE_H

#include <stdint.h>

#define FUNCTION_ALIGNMENT  16
#define FUNCTION_MARK_BYTES 4 /* endbr64 */

/* The size of a function that does nothing, taken for granted that this is one. */
static inline uint32_t function_empty_bytes(const uint8_t *code)
{
	return *code == 0xc3 ? 1 : FUNCTION_MARK_BYTES + 1; /* ret */
}

#endif
