/* SPDX-License-Identifier: MIT */
/*
 * Which object was at an address, and when.
 *
 * A timeline is a plane of addresses and times, cut into disjoint rectangles:
 *
 *	address
 *	   ^      +-----A------+
 *	   |      |     +--B---+---------+     B came later and covered the upper
 *	   |      +--A--+------+---B-----+     half of A: the lower half of A
 *	   |      +----------A----->           went on.
 *	   +-------------------------------> time
 *
 * Those that have no end yet, the *live* pieces, are in a treap by address (a
 * search tree that random priorities keep flat), so that covering, moving and
 * removing cost O(log n). Those that have ended are *past*: an array by
 * address, in which each item knows how far those in its subtree reach, so that
 * all that ever were at an address are found quickly.
 *
 * Changes come in order of time; a caller whose events do not sorts them first.
 */
#ifndef CLEW_SYMBOLIZER_SPACE_TIMELINE_H
#define CLEW_SYMBOLIZER_SPACE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

struct piece {
	uint64_t start, end;
	uint64_t from, to; /* time; to == UINT64_MAX: live */
	uint64_t base;     /* where its whole object began */
	uint32_t object;
	uint32_t pad;
};

struct timeline_node {
	struct piece piece;
	uint32_t left, right; /* indices; 0: none */
	uint32_t priority;
	uint32_t pad;
};

/* Zero-initialise before use. */
struct timeline {
	struct timeline_node *nodes; /* [0] is none */
	size_t node_count, node_capacity;
	uint32_t root, free_list;
	uint32_t random;
	struct piece *past;
	uint64_t *reach; /* the greatest `end` in the subtree of each */
	size_t past_count, past_capacity;
	size_t sorted; /* of past, those that are in order and have a reach */
};

/* Each: 0 or -ENOMEM, when nothing has changed. */

/* Puts an object at [start, end), over what is there. */
int timeline_put(struct timeline *timeline, uint64_t start, uint64_t end,
		 uint64_t time, uint32_t object);

/* Ends whatever is in [start, end), or only what is left of one object. */
int timeline_clear(struct timeline *timeline, uint64_t start, uint64_t end,
		   uint64_t time);
int timeline_remove(struct timeline *timeline, uint64_t start, uint64_t end,
		    uint64_t time, uint32_t object);

/* Makes past pieces findable. */
int timeline_settle(struct timeline *timeline);

/* The piece at an address and time, or NULL. Valid until the next change. */
const struct piece *timeline_find(const struct timeline *timeline,
				  uint64_t address, uint64_t time);

/* The latest piece of that object that ever was at an address, or NULL. */
const struct piece *timeline_find_object(const struct timeline *timeline,
					 uint64_t address, uint32_t object);

void timeline_fini(struct timeline *timeline);

#endif
