/* SPDX-License-Identifier: MIT */
/*
 * Where native text is: the executable segments of all modules.
 *
 * Calls into a module that hosts a JIT are only hooked when they come from
 * there; generated code may look up where it was called from.
 */
#ifndef CLEW_HOT_NATIVE_H
#define CLEW_HOT_NATIVE_H

#include <stdatomic.h>
#include <stdint.h>

#define NATIVE_MAX 4096

/* pcs in [start, end). Unused while end is 0; end is stored last. */
struct native_range {
	_Atomic uint64_t start;
	_Atomic uint64_t end;
};

/* Written under the loader's lock (natives.c), read by anybody. */
extern struct native_range hot_native[NATIVE_MAX];
extern _Atomic uint32_t hot_native_count;

static inline int native_has(uint64_t pc)
{
	uint32_t count =
		atomic_load_explicit(&hot_native_count, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++) {
		const struct native_range *range = &hot_native[i];

		if (pc < atomic_load_explicit(&range->end,
					      memory_order_acquire) &&
		    pc >= atomic_load_explicit(&range->start,
					       memory_order_relaxed))
			return 1;
	}
	return 0;
}

#endif
