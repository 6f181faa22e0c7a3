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
 *	shadow 0x200000000000 ......................... 0x280000000000
 *
 * Stacks below SHADOW_STACK_LOW (coroutine stacks in .bss or brk memory) are
 * found through a directory with one entry per GiB of address space, whose
 * shadow is mapped when it is first needed.
 */
#ifndef CLEW_HOT_SHADOW_H
#define CLEW_HOT_SHADOW_H

#include <stdint.h>

#include "preload/hot/layout.h"

struct shadow_slot {
	uint64_t return_address;
	uint64_t caller_id; /* the thread's id before the call */
};
_Static_assert(sizeof(struct shadow_slot) == SHADOW_SLOT_BYTES, "stub");

#define SHADOW_BASE         (UINT64_C(2) * SHADOW_HALF)
#define SHADOW_BYTES        (UINT64_C(2) * (0x800000000000 - SHADOW_STACK_LOW))
#define SHADOW_REGION_SHIFT 30
#define SHADOW_REGION_MASK  ((UINT64_C(1) << SHADOW_REGION_SHIFT) - 1)
#define SHADOW_REGION_COUNT (1 << (47 - SHADOW_REGION_SHIFT))

/*
 * Shadow of each GiB below SHADOW_STACK_LOW, 0 where none is mapped yet.
 * Any thread stores, once; the CFI of the stubs (frames.c) reads it too.
 */
extern _Atomic uint64_t hot_shadow_regions[SHADOW_REGION_COUNT];

static inline int shadow_is_elsewhere(uint64_t stack)
{
	return stack < SHADOW_STACK_LOW;
}

/* The shadow slot of a stack slot, or NULL if that region has no shadow. */
static inline struct shadow_slot *shadow_of(uint64_t stack)
{
	uint64_t region;

	if (!shadow_is_elsewhere(stack))
		return (struct shadow_slot *)(2 * (stack - SHADOW_STACK_LOW +
						   SHADOW_HALF));
	region = hot_shadow_regions[stack >> SHADOW_REGION_SHIFT];
	if (!region)
		return 0;
	return (struct shadow_slot *)(region +
				      2 * (stack & SHADOW_REGION_MASK));
}

#endif
