/* SPDX-License-Identifier: MIT */
/*
 * The shadow stack holds return addresses while hooked functions run.
 *
 * The return address of a hooked function is moved from its stack slot to the
 * shadow slot that belongs to it; the stub's exit takes its place on the stack.
 * The address of a shadow slot depends only on the address of the stack slot,
 * so longjmp, exceptions and coroutine switches cannot misalign it:
 *
 *	stack  0x7c0000000000 ......................... 0x800000000000
 *	         | x 2                                        |
 *	shadow 0x580000000000 ......................... 0x600000000000
 *
 * Calls on stacks below hot_shadow_low (coroutine stacks in .bss or brk memory;
 * all stacks if so much address space is not available) take a slow path. The
 * shadow of these stacks is mapped in pieces when it is first needed, and found
 * through a directory with two levels. The values are biased so that no index
 * has to be masked:
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
 * The lowest address of ordinary stacks: SHADOW_STACK_LOW, or SHADOW_NOWHERE if
 * all shadow is in pieces. Set before anything is hooked.
 */
extern uint64_t hot_shadow_low;

/*
 * Half of the address of the shadow, and a third of the address of the time
 * slots (timing.h). Set before anything is hooked.
 */
extern uint64_t hot_shadow_half, hot_time_third;

/*
 * The directory: for each region, the biased address of its list of pieces; 0
 * for regions without shadow. Any thread may set an element, once. The stubs'
 * CFI (stubs/frames_rules.h) also reads it.
 */
extern _Atomic uint64_t hot_shadow_regions[SHADOW_REGION_COUNT];

/*
 * Returns the directory's entry for the piece of a stack slot. Returns NULL if
 * no piece of the slot's region was ever mapped.
 */
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

/* Returns the shadow slot of a stack slot, or NULL if it has none. */
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
