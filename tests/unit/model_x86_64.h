/* SPDX-License-Identifier: MIT */
/*
 * A model of a processor that knows all stores of its path, and looks at every
 * load.
 *
 * It follows all paths through a stub and the thunks, both ways at every branch,
 * until a call has returned. Functions in C are passed over, and the function
 * that the stub is for returns at once, or leaves by a tail call to the stub's
 * entry. Of what instructions do, the model computes what addresses are made with.
 */
#ifndef CLEW_TESTS_UNIT_MODEL_X86_64_H
#define CLEW_TESTS_UNIT_MODEL_X86_64_H

#include <stddef.h>
#include <stdint.h>

/* Where there is nothing: what calls, and the function that the stub is for. */
#define MODEL_CALLER   UINT64_C(0x500000001000)
#define MODEL_FUNCTION UINT64_C(0x500000002000)

/* What the first stall was. */
extern char model_said[256];

/*
 * How many loads have to wait for a store, on all paths of a call to an entry in
 * the code: the last store to any of the bytes that are loaded was not of all of
 * them, or began elsewhere.
 */
uint32_t model_count_stalls(uint8_t *code, size_t bytes, size_t entry_at,
			    int may_tail_call);

#endif
