/* SPDX-License-Identifier: MIT */
/*
 * The reversible call-stack id.
 *
 * One 64-bit number identifies a whole calling context. A call of a function
 * with key k turns the caller's id into
 *
 *	callee = (rotl(caller, 29) + k) * K		mod 2^64, K odd
 *
 * Each step is a bijection of 64-bit words, so any two of the three values
 * determine the third:
 *
 *	id_push(caller, k)		-> callee	a call
 *	id_pop(callee, k)              -> caller  a return, without stored data
 *	id_key_between(caller, callee) -> k       the key of the called function
 *
 * The library and the commands that read recordings both use this file; the
 * stubs have the same formula as machine code. With a plain XOR of keys, all
 * contexts that are permutations of the same functions would have the same id;
 * tests/bench/collisions.c shows this.
 *
 * All functions are pure; any thread and signal handlers may call them.
 */
#ifndef CLEW_WIRE_ID_H
#define CLEW_WIRE_ID_H

#include <stdint.h>

/* the id of the empty context, which contains no function */
#define ID_ROOT           UINT64_C(0)
#define ID_MULTIPLIER     UINT64_C(0xd1342543de82ef95)
#define ID_INVERSE        UINT64_C(0x572b5ee77a54e3bd)
#define ID_ROTATION       29
#define ID_KEY_MULTIPLIER UINT32_C(0x9e3779b1)
#define ID_KEY_INVERSE    UINT32_C(0x0e8b2f51)

_Static_assert((ID_MULTIPLIER) * (ID_INVERSE) == 1, "inverse modulo 2^64");
_Static_assert((uint32_t)((ID_KEY_MULTIPLIER) * (ID_KEY_INVERSE)) == 1,
	       "inverse modulo 2^32");

static inline uint64_t id_rotate_left(uint64_t word, unsigned int bits)
{
	return word << bits | word >> (64 - bits);
}

static inline uint64_t id_push(uint64_t caller, uint64_t key)
{
	return (id_rotate_left(caller, ID_ROTATION) + key) * ID_MULTIPLIER;
}

static inline uint64_t id_pop(uint64_t callee, uint64_t key)
{
	return id_rotate_left(callee * ID_INVERSE - key, 64 - ID_ROTATION);
}

static inline uint64_t id_key_between(uint64_t caller, uint64_t callee)
{
	return callee * ID_INVERSE - id_rotate_left(caller, ID_ROTATION);
}

/*
 * Returns the key of a function: the function's number times an odd factor, so
 * that different numbers have different keys. The product's 32 bits are
 * sign-extended, like the immediate operand of an x86 instruction.
 */
static inline uint64_t id_key(uint32_t function)
{
	return (uint64_t)(int64_t)(int32_t)(function * ID_KEY_MULTIPLIER);
}

/*
 * Returns whether a 32-bit function number has this key, and stores the number
 * in *function. If no number has the key, *function does not change.
 */
static inline int id_key_function(uint64_t key, uint32_t *function)
{
	if ((uint64_t)(int64_t)(int32_t)key != key)
		return 0;
	*function = (uint32_t)key * ID_KEY_INVERSE;
	return 1;
}

#endif
