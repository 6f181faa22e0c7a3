/* SPDX-License-Identifier: MIT */
/*
 * Modules of a recording (recording.h) and their functions, with the verdict on
 * each function.
 */
#ifndef CLEW_WIRE_MODULE_FUNCTIONS_H
#define CLEW_WIRE_MODULE_FUNCTIONS_H

#include <stdint.h>

/*
 * A module that is loaded or was unloaded. The path follows in path_bytes bytes
 * (no NUL, padded to 8), then function_count wire_functions in order of vaddr.
 * The address of a function in memory is base + vaddr. The functions have
 * consecutive numbers from first_function on; no other module and no wire_range
 * of the part has these numbers. The position of the numbers follows from the
 * build-id, so they are the same in every process unless other functions have
 * already taken some of them (preload/record/numbers.h).
 */
struct wire_module {
	/* load bias: the difference of addresses in memory and in the file */
	uint64_t base;
	/* All executable segments lie in [vaddr_start, vaddr_end). */
	uint64_t vaddr_start;
	uint64_t vaddr_end;
	uint32_t state; /* enum module_state */
	uint32_t first_function;
	uint32_t function_count;
	uint32_t path_bytes;
	uint32_t build_id_bytes;
	uint32_t from_cache; /* 1 if the analysis was read from the cache */
	uint8_t build_id[32];
	/* CLOCK_REALTIME; 0 if it was loaded before main() */
	uint64_t loaded_ns;
	/*
	 * Written by the library, by CLOCK_REALTIME. 0 while the module is
	 * loaded.
	 */
	_Atomic uint64_t unloaded_ns;
};
_Static_assert(sizeof(struct wire_module) == 96, "on the wire");

/*
 * The CPU time that hooking a module took in the thread that has hooked it. A
 * module that is loaded again at its former address gets no further record.
 * Modules of which the recording has no room for a record have none.
 */
struct wire_hooking {
	/* The members base and loaded_ns of the module's wire_module. */
	uint64_t base, loaded_ns;
	/*
	 * Time to find the module's functions, or to read them from the cache.
	 */
	uint64_t analysis_ns;
	/* Time to build the stubs and to patch the module's code. */
	uint64_t patch_ns;
};
_Static_assert(sizeof(struct wire_hooking) == 32, "on the wire");

struct wire_function {
	/* address of the function's entry in the module's file */
	uint64_t vaddr;
	uint32_t size_bytes;
	uint8_t verdict; /* enum verdict */
	/*
	 * Where the patch begins, in bytes from the entry: 4 behind an endbr64,
	 * otherwise 0.
	 */
	uint8_t patch_offset;
	uint8_t displaced; /* number of displaced bytes, and flags */
	/*
	 * Verdict JUMP_SHORT: the 8-bit displacement of the 2-byte jump at the
	 * entry. This jump leads to a 5-byte jump in padding, or behind the
	 * 5-byte jump of another function, which then displaces ten bytes.
	 * Other verdicts: 0.
	 */
	int8_t island;
};
_Static_assert(sizeof(struct wire_function) == 16, "on the wire");

/* Parts of `displaced`: the number of displaced bytes, and flags. */
#define WIRE_DISPLACED_BYTES 0x3f
#define WIRE_LEAF            0x40
#define WIRE_LOOPS           0x80

static inline uint8_t wire_displaced_bytes(const struct wire_function *function)
{
	return function->displaced & WIRE_DISPLACED_BYTES;
}

/*
 * Returns whether the function's own code jumps, or may jump, to the function's
 * entry. clew regards each jump of this kind as a loop and does not count it,
 * although it may be a tail call of the function by itself.
 */
static inline int wire_loops(const struct wire_function *function)
{
	return (function->displaced & WIRE_LOOPS) != 0;
}

/*
 * Returns whether the function calls no function (image/leaves.h) and does not
 * jump to its own entry.
 */
static inline int wire_is_leaf(const struct wire_function *function)
{
	return (function->displaced & (WIRE_LEAF | WIRE_LOOPS)) == WIRE_LEAF;
}

/*
 * Returns how many of the functions, sorted by vaddr, begin at or before vaddr.
 */
static inline uint32_t wire_functions_until(
	const struct wire_function *functions, uint32_t count, uint64_t vaddr)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (functions[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
