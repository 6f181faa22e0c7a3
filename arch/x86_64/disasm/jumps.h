/* SPDX-License-Identifier: MIT */
/*
 * Code that is written over other code:
 *
 *	a jump			e9 rel32
 *	a short jump		eb rel8
 *	a far jump		ff 25 00 00 00 00, and where to: jmp *0(%rip)
 *	a breakpoint		cc, int3: one byte, which changes at once
 *
 * A distance is counted from behind the jump, and stands at its end, the low
 * byte first.
 */
#ifndef CLEW_DISASM_JUMPS_H
#define CLEW_DISASM_JUMPS_H

#include <stdint.h>

#define JUMP_BYTES       5
#define JUMP_SHORT_BYTES 2
#define JUMP_FAR_BYTES   14

#define BREAKPOINT_BYTES 1
#define BREAKPOINT_CODE  0xcc

/* *rel: how far it is from pc to target; 0, or -ERANGE if no jump leads there. */
int jump_distance(uint64_t pc, uint64_t target, int32_t *rel);

/* Encode a jump at pc: 0 or -ERANGE, `out` then untouched. */
int jump_encode(uint8_t out[JUMP_BYTES], uint64_t pc, uint64_t target);

static inline void jump_encode_short(uint8_t out[JUMP_SHORT_BYTES],
				     int8_t distance)
{
	out[0] = 0xeb;
	out[1] = (uint8_t)distance;
}

/* To wherever it is. */
void jump_encode_far(uint8_t out[JUMP_FAR_BYTES], uint64_t target);

/*
 * Where a jump at pc may lead of which only the first so many bytes are written,
 * and the others are what stands at `code`, where that jump would be: [*first,
 * *last], which is one of 1, 2^8, 2^16 and 2^24 places for 1 to 4 bytes.
 */
void jump_reach(const uint8_t *code, unsigned int bytes, uint64_t pc,
		uint64_t *first, uint64_t *last);

#endif
