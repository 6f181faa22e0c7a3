/* SPDX-License-Identifier: MIT */
/*
 * Code that patches write over other code:
 *
 *	a jump		e9 rel32
 *	a short jump	eb rel8
 *	a far jump	ff 25 00 00 00 00, then the target: jmp *0(%rip)
 *	a saving jump	50 48 b8, then the target, then a far jump:
 *			push %rax; mov $target, %rax; jmp *0(%rip)
 *	a call		e8 rel32
 *	a breakpoint	cc (int3): one byte, so that writing is atomic
 *
 * A distance is relative to the end of the jump, is its last field, and is
 * little-endian.
 */
#ifndef CLEW_DISASM_JUMPS_H
#define CLEW_DISASM_JUMPS_H

#include <stdint.h>

#define JUMP_BYTES        5
#define JUMP_SHORT_BYTES  2
#define JUMP_FAR_BYTES    14
#define JUMP_SAVING_BYTES (11 + JUMP_FAR_BYTES)

#define BREAKPOINT_BYTES  1
#define BREAKPOINT_CODE   0xcc

/*
 * Stores the distance from pc to target in *rel. Returns 0, or -ERANGE if it
 * exceeds 32 bits.
 */
int jump_distance(uint64_t pc, uint64_t target, int32_t *rel);

/* Encodes a jump at pc. Returns 0, or -ERANGE with `out` unchanged. */
int jump_encode(uint8_t out[JUMP_BYTES], uint64_t pc, uint64_t target);

/* Encodes a call at pc, which has the size of a jump. Returns the same. */
int call_encode(uint8_t out[JUMP_BYTES], uint64_t pc, uint64_t target);

static inline void jump_encode_short(uint8_t out[JUMP_SHORT_BYTES],
				     int8_t distance)
{
	out[0] = 0xeb;
	out[1] = (uint8_t)distance;
}

/* Encodes a jump to any address. */
void jump_encode_far(uint8_t out[JUMP_FAR_BYTES], uint64_t target);

/*
 * Encodes a jump to `through`, which calls the target while registers are saved
 * (saving_call.S).
 */
void jump_encode_saving(uint8_t out[JUMP_SAVING_BYTES], uint64_t target,
			uint64_t through);

/*
 * Computes the targets [*first, *last] of a jump at pc of which only the first
 * `bytes` bytes are written. The other bytes stay as they are at `code`. For 1
 * to 4 bytes there are 1, 2^8, 2^16 and 2^24 targets.
 */
void jump_reach(const uint8_t *code, unsigned int bytes, uint64_t pc,
		uint64_t *first, uint64_t *last);

#endif
