/* SPDX-License-Identifier: MIT */
/*
 * The reversible call-stack ID.
 *
 * One 64-bit number names a whole calling context. Entering a function with
 * key k turns the caller's id into
 *
 *	callee = (rotl(caller, 29) + k) * K		mod 2^64, K odd
 *
 * and because every step of that is a bijection of the 64-bit words, any one
 * of the three is determined by the other two:
 *
 *	id_push(caller, k)		-> callee	entering
 *	id_pop(callee, k)		-> caller	leaving, with no state
 *	id_key_between(caller, callee)	-> k		which function was it?
 *
 * Runtime and reader compile this very file, so they cannot disagree. Plain
 * XOR instead of this mix loses every context that is a permutation of the
 * same functions; tests/bench/collisions.c repeats that experiment.
 *
 * All functions are pure, and safe anywhere.
 */
#ifndef CLEW_WIRE_ID_H
#define CLEW_WIRE_ID_H

#include <stdint.h>

#define ID_ROOT           UINT64_C(0) /* the context of a thread's start */
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
 * The key of a function: its number, spread over 32 bits by an odd factor, so
 * that no two functions of a process share a key, and sign-extended, because
 * that is what an x86 add with an immediate operand does.
 */
static inline uint64_t id_key(uint32_t function)
{
	return (uint64_t)(int64_t)(int32_t)(function * ID_KEY_MULTIPLIER);
}

/* Whether some function has this key; *function is set only if so. */
static inline int id_key_function(uint64_t key, uint32_t *function)
{
	if ((uint64_t)(int64_t)(int32_t)key != key)
		return 0;
	*function = (uint32_t)key * ID_KEY_INVERSE;
	return 1;
}

#endif
