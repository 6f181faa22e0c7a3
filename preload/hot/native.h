/* SPDX-License-Identifier: MIT */
/*
 * Where native text is: the executable segments of all modules.
 *
 * Calls into a module that hosts a JIT are only counted when they come from
 * there; generated code may look up where it was called from (guard.h).
 */
#ifndef CLEW_HOT_NATIVE_H
#define CLEW_HOT_NATIVE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Below there is no code: the bottom of a stack, where a coroutine begins. */
#define NATIVE_LOWEST 0x10000

/* More than there can be: a module takes two mappings at least (65,530). */
#define NATIVE_MAX 32768

/* pcs in [start, end). Unused while end is 0; end is stored last. */
struct native_range {
	_Atomic uint64_t start;
	_Atomic uint64_t end;
};

/* Written under the loader's lock (natives.c), read by anybody. */
extern struct native_range hot_native[NATIVE_MAX];
extern _Atomic uint32_t hot_native_count;

/* One that has no pc. */
extern const struct native_range hot_native_nowhere;

/* The range that a pc is in, or NULL. */
static inline const struct native_range *native_find(uint64_t pc)
{
	uint32_t count =
		atomic_load_explicit(&hot_native_count, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++) {
		const struct native_range *range = &hot_native[i];

		if (pc < atomic_load_explicit(&range->end,
					      memory_order_acquire) &&
		    pc >= atomic_load_explicit(&range->start,
					       memory_order_relaxed))
			return range;
	}
	return NULL;
}

#endif
