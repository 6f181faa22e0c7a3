/* SPDX-License-Identifier: MIT */
/*
 * The contexts of one process, on their way into a tree.
 *
 * Within a process a context is its id, and its caller follows from the id
 * alone. Here each is found by its id and put below its callers. The same
 * contexts may be put below several roots, one for each thread, say.
 */
#ifndef CLEW_MERGE_CONTEXTS_H
#define CLEW_MERGE_CONTEXTS_H

#include "base/hash_index.h"
#include "report/merge/numbering.h"
#include "report/merge/oddities.h"
#include "report/merge/part_tallies.h"
#include "report/model/tree.h"

struct context {
	uint64_t id;
	uint64_t site_pc : 48; /* where its first call returns to; 0: unknown */
	uint64_t depth : 16;   /* as recorded, modulo 65536 */
	uint32_t function;     /* as the process numbers it */
	uint32_t node;         /* below `root`, once it is there */
	uint32_t root;
	uint32_t tally : 30; /* whose record this is */
	uint32_t
		has_tails : 1; /* it is found by the id of its tail calls, too */
	uint32_t is_checked : 1; /* for oddities */
};

struct contexts {
	struct context *items;
	size_t count, capacity;
	struct hash_index by_id;
	uint32_t *path; /* contexts on the way to a known ancestor */
	size_t path_capacity;
	struct oddities oddities; /* of those that were placed */
	const struct numbering *numbering;
	struct catalog *catalog;
	struct tree *tree;
};

/* Enters the contexts of all tallies. What it is given must outlive it. */
void contexts_init(struct contexts *contexts,
		   const struct part_tallies *tallies,
		   const struct numbering *numbering, struct catalog *catalog,
		   struct tree *tree);
void contexts_fini(struct contexts *contexts);

/*
 * Of a large recording nothing is in any cache: an id's entry, its context and
 * the node of that are three misses. Told of ids this far ahead, memory is
 * asked for all three in time. Any ids will do.
 */
enum { CONTEXTS_AHEAD = 24, CONTEXTS_SOON = 4 };
void contexts_prefetch(const struct contexts *contexts, uint64_t id_far_ahead,
		       uint64_t id_half_way, uint64_t id_soon);

/*
 * NULL if nobody recorded it. That of an entry which counts tail calls has
 * another id.
 */
struct context *contexts_find(const struct contexts *contexts, uint64_t id);

/*
 * The same for placing all contexts below `root`, one after the other: of one far
 * ahead the caller is asked for, of one that is soon the place in the tree, which is
 * known when its caller has been placed, and that comes shortly before.
 */
void contexts_prefetch_place(const struct contexts *contexts, size_t far_ahead,
			     size_t soon, uint32_t root);

/* The node of a context below `root`, made with all its callers if need be. */
uint32_t contexts_place(struct contexts *contexts, struct context *context,
			uint32_t root);

#endif
