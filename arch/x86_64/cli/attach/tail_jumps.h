/* SPDX-License-Identifier: MIT */
/*
 * Jumps of a function to another one (tail calls). A function that ends in
 * one leaves no frame, and the other function may have no name. Code is not
 * decoded, so bytes of other instructions can look like a jump, but their
 * target is rarely the start of a function.
 */
#ifndef CLEW_CLI_ATTACH_TAIL_JUMPS_H
#define CLEW_CLI_ATTACH_TAIL_JUMPS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Returns the target of a jmp or jcc with rel32 at offset `at` of a function's
 * code, which is at vaddr; 0 if there is no such jump, or it stays inside the
 * function.
 */
static inline uint64_t tail_jump_at(const uint8_t *code, uint64_t bytes,
				    uint64_t at, uint64_t vaddr)
{
	uint64_t behind = at + 5, target; /* e9 rel32: jmp */
	int32_t distance;

	if (bytes < 6 || at > bytes - 5)
		return 0;
	if (code[at] == 0x0f && at <= bytes - 6 &&
	    (code[at + 1] & 0xf0) == 0x80)
		behind++; /* 0f 8x rel32: jcc */
	else if (code[at] != 0xe9)
		return 0;
	memcpy(&distance, code + behind - sizeof(distance), sizeof(distance));
	target = vaddr + behind + (uint64_t)(int64_t)distance;
	return target >= vaddr && target < vaddr + bytes ? 0 : target;
}

#endif
