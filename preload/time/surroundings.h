/* SPDX-License-Identifier: MIT */
/* Which functions a call is made in, as the thread's stack says: for a trace's contexts. */
#ifndef CLEW_TIME_SURROUNDINGS_H
#define CLEW_TIME_SURROUNDINGS_H

#include <stdint.h>

struct link;

#define SURROUNDINGS_NONE UINT32_MAX

struct surroundings {
	uint64_t id;     /* of the innermost function */
	uint64_t around; /* of what is around them, or ID_ROOT */
	uint32_t count;  /* of functions */
	/* A signal has interrupted one while clew was entering or leaving it. */
	uint8_t has_half_way;
	/* How many are further in than the innermost one that was being left so, or NONE. */
	uint32_t leaving;
	/* That one, and those that had jumped to it from the same slot. */
	uint32_t leaving_count;
};

/* What is to be known of each, the innermost first; NULL: nobody asks. */
struct surroundings_of {
	uint32_t *functions; /* their numbers */
	uint32_t *places;    /* in a window that begins at the base */
	uint64_t base;
	uint32_t *sites; /* where they return to: low, high */
	/* Told of each, `at` being how many were before. */
	void (*tell)(void *context, uint32_t at, const struct link *link);
	void *context;
	/* Handlers that are not hooked may have come while clew was entering some. */
	uint8_t minds_signals;
};

/*
 * Without the function that is entered at the slot, where the walk begins, and at most
 * WIRE_PACKET_FUNCTIONS.
 */
struct surroundings surroundings_find(const struct surroundings_of *of,
				      const uint64_t *slot);

/* As if those that were being left were not there, whose places are 0 then. */
void surroundings_leave_out(struct surroundings *found,
			    const struct surroundings_of *of);

#endif
