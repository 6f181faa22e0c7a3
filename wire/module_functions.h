/* SPDX-License-Identifier: MIT */
/*
 * Modules of a recording (recording.h) and their functions, with what was decided
 * about each.
 */
#ifndef CLEW_WIRE_MODULE_FUNCTIONS_H
#define CLEW_WIRE_MODULE_FUNCTIONS_H

#include <stdint.h>

/*
 * A module, loaded or unloaded. Followed by path_bytes of path (no NUL, padded
 * to 8), then by function_count wire_functions in order of vaddr. pc = base +
 * vaddr. Its functions have the numbers from first_function on; no two modules, and
 * no wire_range, have one in common. Where nothing is in the way they follow from
 * the build-id (preload/record/numbers.h), and are the same in every process.
 */
struct wire_module {
	uint64_t base;        /* load bias */
	uint64_t vaddr_start; /* executable segments lie in [start, end) */
	uint64_t vaddr_end;
	uint32_t state; /* enum module_state */
	uint32_t first_function;
	uint32_t function_count;
	uint32_t path_bytes;
	uint32_t build_id_bytes;
	uint32_t from_cache; /* 1: the analysis came from the cache */
	uint8_t build_id[32];
	uint64_t loaded_ns;           /* CLOCK_REALTIME; 0: before main */
	_Atomic uint64_t unloaded_ns; /* runtime; CLOCK_REALTIME, 0: not yet */
};
_Static_assert(sizeof(struct wire_module) == 96, "on the wire");

/*
 * What it took until a module was hooked: CPU time of the thread that did it. One for
 * each module, in the order in which they were met.
 */
struct wire_hooking {
	uint64_t base, loaded_ns; /* as its wire_module has it */
	uint64_t
		analysis_ns; /* to find its functions, or take them from the cache */
	uint64_t patch_ns; /* to make stubs, and write to its code */
};
_Static_assert(sizeof(struct wire_hooking) == 32, "on the wire");

struct wire_function {
	uint64_t vaddr; /* of the entry */
	uint32_t size_bytes;
	uint8_t verdict;      /* enum verdict */
	uint8_t patch_offset; /* 4 behind an endbr64, else 0 */
	uint8_t displaced;    /* see below */
	/*
	 * JUMP_SHORT: the 8-bit displacement of its 2-byte jump, to where the
	 * 5-byte one stands: in padding, or behind the 5-byte jump of another
	 * function, which displaces ten bytes then. 0 otherwise.
	 */
	int8_t island;
};
_Static_assert(sizeof(struct wire_function) == 16, "on the wire");

/* Of `displaced`: bytes that the trampoline executes instead, and flags. */
#define WIRE_DISPLACED_BYTES 0x3f
#define WIRE_LEAF            0x40
#define WIRE_LOOPS           0x80

static inline uint8_t wire_displaced_bytes(const struct wire_function *function)
{
	return function->displaced & WIRE_DISPLACED_BYTES;
}

/*
 * Whether a jump from the function's own code leads to its entry, or may: what
 * jumps there from inside of it is taken for a loop, and not counted, even if it
 * is a call that the function makes of itself.
 */
static inline int wire_loops(const struct wire_function *function)
{
	return (function->displaced & WIRE_LOOPS) != 0;
}

/* Whether it calls nothing (image/leaves.h), and neither loops. */
static inline int wire_is_leaf(const struct wire_function *function)
{
	return (function->displaced & (WIRE_LEAF | WIRE_LOOPS)) == WIRE_LEAF;
}

/* How many of these, which are in order, begin at vaddr or before it. */
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
