/* SPDX-License-Identifier: MIT */
/*
 * Finds the running functions from which a call is made, by the thread's stack.
 * The contexts in a trace list these functions.
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
	 * Set if a signal has interrupted clew's code at the entry or the
	 * return of one of the functions.
	 */
	uint8_t has_half_way;
	/*
	 * A signal may have interrupted the return of functions. The number of
	 * functions that are further in than the innermost such function, or
	 * SURROUNDINGS_NONE if there is none.
	 */
	uint32_t leaving;
	/*
	 * The number of functions whose return was interrupted: the function
	 * that `leaving` denotes, and those that had jumped to it and share its
	 * slot.
	 */
	uint32_t leaving_count;
};

/*
 * Arrays for the results, innermost function first. An array that is not needed
 * is NULL.
 */
struct surroundings_of {
	uint32_t *functions; /* the functions' numbers */
	/* the distances of their slots from the window's base, in slots */
	uint32_t *places;
	uint64_t base;
	/* their return addresses, each as its lower and its upper half */
	uint32_t *sites;
	/*
	 * Called for each function; `at` is the number of functions found
	 * before.
	 */
	void (*report)(void *context, uint32_t at, const struct link *link);
	void *context;
	/*
	 * Whether to search for signals that have interrupted clew's code also
	 * between two successive functions, and not only where the chain ends.
	 */
	uint8_t minds_signals;
};

/*
 * Finds at most WIRE_PACKET_FUNCTIONS running functions outside of the function
 * that is entered at this slot.
 */
struct surroundings surroundings_find(const struct surroundings_of *of,
				      const uint64_t *slot);

/*
 * Removes the functions whose return a signal has interrupted. The array
 * elements that become free are set to 0.
 */
void surroundings_skip(struct surroundings *found,
		       const struct surroundings_of *of);

#endif
