/* SPDX-License-Identifier: MIT */
/*
 * The contexts of one process, while they are added to a tree.
 *
 * Within a process an id identifies a context, and the caller's id follows from
 * it. Contexts are found by id and placed below their callers. Contexts may be
 * placed below several roots, for example one for each thread.
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
	/* return address of its first call; 0: unknown */
	uint64_t site_pc : 48;
	uint64_t depth : 16; /* as recorded, modulo 65536 */
	uint32_t function;   /* number in the process */
	uint32_t node;       /* node below `root`, once it is placed */
	uint32_t root;
	uint32_t tally : 30;     /* tally that recorded it */
	uint32_t has_tails : 1;  /* the id of its tail calls finds it also */
	uint32_t is_checked : 1; /* check_place() has counted its oddities */
};

struct contexts {
	struct context *items;
	size_t count, capacity;
	struct hash_index by_id;
	uint32_t *path; /* contexts between one and its placed ancestor */
	size_t path_capacity;
	struct oddities oddities; /* of the placed contexts */
	const struct numbering *numbering;
	struct catalog *catalog;
	struct tree *tree;
};

/* Enters the contexts of all tallies. The arguments must outlive `contexts`. */
void contexts_init(struct contexts *contexts,
		   const struct part_tallies *tallies,
		   const struct numbering *numbering, struct catalog *catalog,
		   struct tree *tree);
void contexts_fini(struct contexts *contexts);

/*
 * Prefetches for lookups of many ids. In a large recording an id's slot, its
 * context and the context's node are three cache misses. The caller passes ids
 * that it needs CONTEXTS_AHEAD, half as many, and CONTEXTS_SOON lookups later.
 * Wrong ids are harmless.
 */
enum { CONTEXTS_AHEAD = 24, CONTEXTS_SOON = 4 };
void contexts_prefetch(const struct contexts *contexts, uint64_t id_far_ahead,
		       uint64_t id_half_way, uint64_t id_soon);

/*
 * Returns NULL if the context was not recorded. The result's id differs from
 * `id` if that is the id of tail calls.
 */
struct context *contexts_find(const struct contexts *contexts, uint64_t id);

/*
 * Prefetches for placing all contexts below `root` in order: the caller of
 * context number `far_ahead`, and the node of `soon`, whose caller has mostly
 * been placed by then.
 */
void contexts_prefetch_place(const struct contexts *contexts, size_t far_ahead,
			     size_t soon, uint32_t root);

/*
 * Returns the node of a context below `root`; creates it and its callers if
 * needed.
 */
uint32_t contexts_place(struct contexts *contexts, struct context *context,
			uint32_t root);

#endif
