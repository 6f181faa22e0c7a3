/* SPDX-License-Identifier: MIT */
/*
 * Native text: the executable segments of all modules.
 *
 * Guarded stubs, those of a module that generates code at run time, recognize
 * by these ranges whether generated code calls: such code may inspect return
 * addresses (patch/guard.h).
 */
#ifndef CLEW_HOT_NATIVE_H
#define CLEW_HOT_NATIVE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * By default, no memory can be mapped below this address (vm.mmap_min_addr): a
 * return address below it marks the beginning of a coroutine's stack.
 */
#define NATIVE_LOWEST 0x10000

/*
 * Maximum number of ranges: a process has at most 65,530 mappings by default
 * (vm.max_map_count), and each module takes at least two.
 */
#define NATIVE_MAX 32768

/*
 * The addresses [start, end). The range is unused while end is 0, and end is
 * stored last.
 */
struct native_range {
	_Atomic uint64_t start;
	_Atomic uint64_t end;
};

/* Written under the loader's lock (natives.c), read by any thread. */
extern struct native_range hot_native[NATIVE_MAX];
extern _Atomic uint32_t hot_native_count;

/* A range that contains no pc. */
extern const struct native_range hot_native_nowhere;

/* Returns the range that contains pc, or NULL. */
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
