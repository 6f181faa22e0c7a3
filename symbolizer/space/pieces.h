/* SPDX-License-Identifier: MIT */
/*
 * Who was where, when.
 *
 * A claim takes a range of addresses at some time, and from then on it has
 * whatever of it no newer claim takes: what is taken is gone for good, the
 * rest stays. A claim may also end by itself. Drawn with addresses to the
 * right and time downwards, claims A, B over a part of it, and the end of A:
 *
 *	      |-------- A --------|
 *	      |                   |
 *	      |      |---- B ----||
 *	      |      |           ||
 *	       ------ end of A   |-
 *	             |           |
 *
 * Each claim's area falls into pieces: parts of its range that are lost at
 * the same time. Every piece is a rectangle that begins with its claim, here
 * three of A, and they are disjoint. There are at most three times as many as
 * claims, because a new claim cuts two older ones at most and what it covers
 * wholly is done with.
 *
 * The question "who was at pc at that time" is thus which rectangle holds a
 * point. All borders are sorted; between two of them lies a slot. A binary
 * tree over the slots has each piece in those nodes which together make up its
 * slots, at most two on each level. On the way from a slot to the root all
 * pieces of that slot are met, and those of one node follow each other in
 * time: a binary search in each node of the way answers. This takes O(n log n)
 * memory however the claims overlap, and little more than n if they are what
 * compilers make. Most nodes are then empty and are skipped: what a look-up
 * costs is how many places in memory it touches.
 *
 * Immutable once it is built, so that any number of threads may look.
 */
#ifndef CLEW_SYMBOLIZER_SPACE_PIECES_H
#define CLEW_SYMBOLIZER_SPACE_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/space/vector.h"

/* An owner that takes addresses away from others and has none itself. */
#define PIECES_NOBODY UINT32_MAX

#define PIECES_NEVER  UINT64_MAX /* as an end in time */

enum { PIECES_FENCE = 16 }; /* two cache lines of borders */

struct claim {
	uint64_t start;
	uint64_t end; /* > start */
	uint64_t from;
	uint64_t to;    /* >= from */
	uint64_t order; /* of claims of the same time the greatest is newest */
	uint32_t owner;
};

VECTOR(claims, struct claim)

struct piece {
	uint64_t to;
	uint32_t claim;
	uint32_t first; /* slot */
	uint32_t last;  /* the slot behind it */
};

VECTOR(piece_vector, struct piece)

/* In a node of the tree: a piece and when it began. */
struct pieces_entry {
	uint64_t from;
	uint32_t piece;
	uint32_t pad;
};

struct pieces_node {
	uint32_t head; /* its first entry; the next node's is behind its last */
	uint32_t up;   /* the nearest node above that has any; 0: none */
};

struct pieces {
	struct claims claims;
	uint64_t *borders;
	size_t border_count; /* slots: one less */
	uint64_t *fences;    /* every PIECES_FENCE-th border */
	struct piece_vector all;
	struct pieces_node *nodes; /* and one more, for its head */
	struct pieces_entry *entries;
};

/*
 * Builds from claims in any order, which are taken over (and left zeroed) on
 * success. 0 or -ENOMEM.
 */
int pieces_build(struct pieces *out, struct claims *claims);
void pieces_fini(struct pieces *pieces);

/* The piece at pc at that time, or NULL. */
const struct piece *pieces_find(const struct pieces *pieces, uint64_t pc,
				uint64_t time);

#endif
