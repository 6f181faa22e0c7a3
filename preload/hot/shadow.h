/* SPDX-License-Identifier: MIT */
/*
 * The shadow stack: where return addresses live while functions run.
 *
 * A hooked function's return address is popped off the stack into the shadow
 * slot of the very stack slot it came from; the stub's own return address
 * takes its place. The slot's address is a pure function of the stack
 * address, so longjmp, exceptions and coroutine switches cannot misalign it:
 *
 *	stack  0x7c0000000000 ......................... 0x800000000000
 *	         | x 2                                        |
 *	shadow 0x580000000000 ......................... 0x600000000000
 *
 * Stacks below hot_shadow_low (coroutine stacks in .bss or brk memory; all
 * stacks where so much address space cannot be had) take a slower way. Their
 * shadow is mapped piece by piece when it is first needed, and found through
 * a directory in two levels. What the levels hold is made such that no index
 * need be masked:
 *
 *	hot_shadow_regions[stack >> 30] + 8 * (stack >> 16)  -> a piece
 *	piece + 2 * stack                                    -> the slot
 */
#ifndef CLEW_HOT_SHADOW_H
#define CLEW_HOT_SHADOW_H

#include <stdint.h>

#include "machine/address_space.h"
#include "preload/hot/layout.h"

struct shadow_slot {
	uint64_t return_address;
	uint64_t caller_id; /* the thread's id before the call */
};
_Static_assert(sizeof(struct shadow_slot) == SHADOW_SLOT_BYTES, "stub");

#define SHADOW_BYTES        (UINT64_C(2) * (ADDRESS_END - SHADOW_STACK_LOW))
#define SHADOW_NOWHERE      ((UINT64_C(1) << 63) - 1)
#define SHADOW_REGION_SHIFT 30
#define SHADOW_REGION_COUNT (1 << (ADDRESS_BITS - SHADOW_REGION_SHIFT))
#define SHADOW_PIECE_SHIFT  16

/*
 * Where the ordinary stacks begin: SHADOW_STACK_LOW, or SHADOW_NOWHERE if
 * there is no shadow but in pieces. Set before anything is hooked.
 */
extern uint64_t hot_shadow_low;

/* Half of the shadow's place, a third of that of times. Set likewise. */
extern uint64_t hot_shadow_half, hot_time_third;

/*
 * The directory, 0 where nothing is mapped yet. Any thread stores, once; the
 * CFI of the stubs (stubs/frames_rules.h) reads it too.
 */
extern _Atomic uint64_t hot_shadow_regions[SHADOW_REGION_COUNT];

/* The entry for the piece that a stack slot is in, or NULL. */
static inline _Atomic uint64_t *shadow_piece(uint64_t stack)
{
	uint64_t region;

	if (stack >> SHADOW_REGION_SHIFT >= SHADOW_REGION_COUNT)
		return 0;
	region = hot_shadow_regions[stack >> SHADOW_REGION_SHIFT];
	if (!region)
		return 0;
	return (_Atomic uint64_t *)(region + (stack >> SHADOW_PIECE_SHIFT) *
						     sizeof(uint64_t));
}

/* The shadow slot of a stack slot, or NULL if it has none. */
static inline struct shadow_slot *shadow_of(uint64_t stack)
{
	const _Atomic uint64_t *piece;

	if (stack >= hot_shadow_low)
		return (struct shadow_slot *)(2 * (stack - SHADOW_STACK_LOW +
						   hot_shadow_half));
	piece = shadow_piece(stack);
	return piece && *piece ? (struct shadow_slot *)(*piece + 2 * stack) : 0;
}

#endif
