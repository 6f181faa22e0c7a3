/* SPDX-License-Identifier: MIT */
/*
 * How compilers place functions: mostly at multiples of 16, often beginning
 * with an endbr64, without which a processor may refuse indirect calls.
 */
#ifndef CLEW_DISASM_FUNCTION_CODE_H
#define CLEW_DISASM_FUNCTION_CODE_H

#include <stdint.h>

#define FUNCTION_ALIGNMENT  16
#define FUNCTION_MARK_BYTES 4 /* endbr64 */

/*
 * Returns the size of a function that does nothing, given that `code` is one.
 */
static inline uint32_t function_empty_bytes(const uint8_t *code)
{
	return *code == 0xc3 ? 1 : FUNCTION_MARK_BYTES + 1; /* ret */
}

#endif
