/* SPDX-License-Identifier: MIT */
/*
 * A model of a processor that records all stores of its path, and checks every
 * load against them.
 *
 * The model follows all paths through a stub and the thunks, both sides of
 * every branch, until a call has returned. Functions in C are skipped. The
 * function of the stub returns at once, or makes a tail call to the stub's
 * entry. The model computes only the operations that occur in addresses.
 */
#ifndef CLEW_TESTS_UNIT_MODEL_X86_64_H
#define CLEW_TESTS_UNIT_MODEL_X86_64_H

#include <stddef.h>
#include <stdint.h>

/* Unmapped addresses of the caller and of the function of the stub. */
#define MODEL_CALLER   UINT64_C(0x500000001000)
#define MODEL_FUNCTION UINT64_C(0x500000002000)

/* Describes the first stall. */
extern char model_said[256];

/*
 * Returns how many loads have to wait for a store, on all paths of a call to an
 * entry in the code. A waiting load follows a store that wrote only some of its
 * bytes, or that began at another address.
 */
uint32_t model_count_stalls(uint8_t *code, size_t bytes, size_t entry_at,
			    int may_tail_call);

#endif
