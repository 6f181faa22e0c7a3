/* SPDX-License-Identifier: MIT */
/*
 * Finds the owner of an address at a time.
 *
 * A claim takes a range of addresses from some time on. A claim keeps each part
 * of the range until a newer claim takes it; a part that was taken is lost
 * permanently. A claim may also end by itself. The drawing has addresses to the
 * right and time downwards. Shown are claim A, claim B over a part of A, and
 * the end of A.
 *
 *	      |-------- A --------|
 *	      |                   |
 *	      |      |---- B ----||
 *	      |      |           ||
 *	       ------ end of A   |-
 *	             |           |
 *
 * Each claim's area consists of pieces: parts of its range that are lost at the
 * same time. Every piece is a rectangle that begins with its claim; A has
 * three. Pieces are disjoint. There are at most three times as many pieces as
 * claims, because a new claim cuts at most two older ones and ends those that
 * it covers completely.
 *
 * A lookup therefore finds the rectangle that contains a point. All borders are
 * sorted; between two of them lies a slot. A binary tree over the slots stores
 * each piece in the nodes that together cover its slots, at most two on each
 * level. The path from a slot to the root meets all pieces of that slot. The
 * pieces of one node follow each other in time, so each node on the path needs
 * one binary search. The tree takes O(n log n) memory for any claims, and
 * little more than n for those of compilers. Most nodes are then empty and are
 * skipped, since the cost of a lookup is the number of memory locations that it
 * reads.
 *
 * The structure is immutable after it is built, so any number of threads may
 * read it.
 */
#ifndef CLEW_SYMBOLIZER_SPACE_PIECES_H
#define CLEW_SYMBOLIZER_SPACE_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/space/vector.h"

/*
 * The owner of claims that only take addresses from older claims. pieces_find()
 * never returns a piece of such a claim.
 */
#define PIECES_NOBODY UINT32_MAX

/* the time `to` of a claim or piece that does not end */
#define PIECES_NEVER UINT64_MAX

enum { PIECES_FENCE = 16 }; /* two cache lines of borders */

struct claim {
	uint64_t start;
	uint64_t end; /* > start */
	uint64_t from;
	uint64_t to;    /* >= from */
	uint64_t order; /* among claims of equal time, the greatest is newest */
	uint32_t owner;
};

VECTOR(claims, struct claim)

struct piece {
	uint64_t to;
	uint32_t claim;
	uint32_t first; /* the claim's first slot */
	uint32_t last;  /* the slot after the claim's last slot */
};

VECTOR(piece_vector, struct piece)

/*
 * An entry of a tree node: the index in `all` of a piece, and the time at which
 * this piece begins.
 */
struct pieces_entry {
	uint64_t from;
	uint32_t piece;
	uint32_t pad;
};

struct pieces_node {
	/* index of its first entry; the next node's head is the end */
	uint32_t head;
	uint32_t up; /* index of the nearest ancestor with entries; 0: none */
};

struct pieces {
	struct claims claims;
	uint64_t *borders;
	size_t border_count; /* number of slots + 1 */
	uint64_t *fences;    /* every PIECES_FENCE-th border */
	struct piece_vector all;
	/* one additional element ends the last node; only its head is used */
	struct pieces_node *nodes;
	struct pieces_entry *entries;
};

/*
 * Builds *out from claims in any order. On success *out owns the claims, and
 * *claims is zeroed. Returns 0 or -ENOMEM.
 */
int pieces_build(struct pieces *out, struct claims *claims);
void pieces_fini(struct pieces *pieces);

/* Returns the piece at pc at that time, or NULL. */
const struct piece *pieces_find(const struct pieces *pieces, uint64_t pc,
				uint64_t time);

#endif
