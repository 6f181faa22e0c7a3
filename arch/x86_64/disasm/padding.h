/* SPDX-License-Identifier: MIT */
/*
 * Bytes that compilers and linkers put between functions: nop (0x90), int3
 * (0xcc), which traps if it is executed, and zeros, which may also be data.
 */
#ifndef CLEW_DISASM_PADDING_H
#define CLEW_DISASM_PADDING_H

#include <stdint.h>

static inline int padding_stops(uint8_t byte)
{
	return byte == 0xcc;
}

static inline int padding_is_nop(uint8_t byte)
{
	return byte == 0x90;
}

static inline int padding_is_byte(uint8_t byte)
{
	return byte == 0x00 || padding_is_nop(byte) || padding_stops(byte);
}

#endif
