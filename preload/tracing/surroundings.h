/* SPDX-License-Identifier: MIT */
/*
 * Finds the functions in which a call is made, on the thread's stack, for the
 * contexts of a trace.
 */
#ifndef CLEW_TRACING_SURROUNDINGS_H
#define CLEW_TRACING_SURROUNDINGS_H

#include <stdint.h>

struct link;

#define SURROUNDINGS_NONE UINT32_MAX

struct surroundings {
	uint64_t id; /* id of the innermost function */
	/*
	 * Id of the function that is next outside of all found functions, or
	 * ID_ROOT.
	 */
	uint64_t around;
	uint32_t count; /* number of functions found */
	/*
	 * A signal has interrupted clew's code while it entered or left one of
	 * the functions.
	 */
	uint8_t has_half_way;
	/*
	 * How many functions are further in than the innermost one that was
	 * being left, or NONE.
	 */
	uint32_t leaving;
	/*
	 * How many functions were being left: the function that `leaving`
	 * tells, and the functions that had jumped to that function from the
	 * same slot.
	 */
	uint32_t leaving_count;
};

/* The results to store, innermost function first. NULL: not needed. */
struct surroundings_of {
	uint32_t *functions; /* numbers of the functions */
	uint32_t *places;    /* places in a window that begins at the base */
	uint64_t base;
	uint32_t *sites; /* return addresses: low, high */
	/*
	 * Called for each function; `at` is the number of functions found
	 * before.
	 */
	void (*report)(void *context, uint32_t at, const struct link *link);
	void *context;
	/*
	 * Also search for handlers that are not hooked and have interrupted
	 * clew's code.
	 */
	uint8_t minds_signals;
};

/*
 * Finds the functions outside of the one that is entered at the slot, at most
 * WIRE_PACKET_FUNCTIONS.
 */
struct surroundings surroundings_find(const struct surroundings_of *of,
				      const uint64_t *slot);

/* Removes the functions that were being left; freed places become 0. */
void surroundings_skip(struct surroundings *found,
		       const struct surroundings_of *of);

#endif
