/* SPDX-License-Identifier: MIT */
/*
 * The contexts of one process, while they are added to a tree.
 *
 * Within a process an id identifies a context, and the caller's id is computed
 * from it. Contexts are found by id and become nodes below the nodes of their
 * callers. The same context may become a node below several roots, for example
 * one for each thread.
 */
#ifndef CLEW_MERGE_CONTEXTS_H
#define CLEW_MERGE_CONTEXTS_H

#include "base/hash_index.h"
#include "report/merge/inconsistencies.h"
#include "report/merge/numbering.h"
#include "report/merge/part_tallies.h"
#include "report/model/tree.h"

struct context {
	uint64_t id;
	/* Return address of the context's first call, or 0 if it is unknown. */
	uint64_t site_pc : 48;
	uint64_t depth : 16; /* depth as recorded, modulo 65536 */
	uint32_t function;   /* number in the process */
	/*
	 * The node below `root`, once it is placed. Before, 1 + the index of
	 * the caller if it is known, or 0.
	 */
	uint32_t node;
	uint32_t root;
	uint32_t tally : 30; /* tally that recorded it */
	/*
	 * Set if the id of the context's tail calls is also known and leads to
	 * this context.
	 */
	uint32_t has_tails : 1;
	/* check_place() has counted its inconsistencies. */
	uint32_t is_checked : 1;
};

/* The catalog's site of a pc. */
struct context_site {
	uint64_t pc;
	uint32_t site;
};

enum { CONTEXTS_SITES_LOG2 = 9 };

struct contexts {
	struct context *items;
	size_t count, capacity;
	struct hash_index by_id;
	/*
	 * Used while a context is placed. Contains the indices of the context
	 * and of those of its callers that have no node yet.
	 */
	uint32_t *path;
	size_t path_capacity;
	/* the range of functions that was used last, or NULL */
	const struct numbering_range *range;
	/* sites that were found before, by hash of the pc */
	struct context_site sites[1 << CONTEXTS_SITES_LOG2];
	/* Inconsistencies of the contexts that were placed. */
	struct inconsistencies inconsistencies;
	const struct numbering *numbering;
	struct catalog *catalog;
	struct tree *tree;
};

/*
 * Enters the contexts of all tallies. The arguments must exist as long as
 * `contexts`.
 */
void contexts_init(struct contexts *contexts,
		   const struct part_tallies *tallies,
		   const struct numbering *numbering, struct catalog *catalog,
		   struct tree *tree);
void contexts_fini(struct contexts *contexts);

/*
 * Prefetches memory for lookups of many ids. In a large recording, each lookup
 * has three cache misses, which depend on each other: for the id's slot, for
 * its context and for the context's node. The caller passes the ids that it
 * will look up after CONTEXTS_AHEAD, CONTEXTS_AHEAD / 2 and CONTEXTS_SOON
 * further lookups. Ids that do not exist do no harm.
 */
enum { CONTEXTS_AHEAD = 24, CONTEXTS_SOON = 8 };
void contexts_prefetch(const struct contexts *contexts, uint64_t id_far_ahead,
		       uint64_t id_half_way, uint64_t id_soon);

/*
 * Returns the context with this id, or NULL if it was not recorded. If `id` is
 * the id of tail calls, the result is the context itself, which has another id.
 */
struct context *contexts_find(const struct contexts *contexts, uint64_t id);

/*
 * Prefetches memory for placing all contexts below `root` in the order of the
 * array, before the context with index `present` is placed: the callers of
 * contexts that follow, and then the nodes.
 */
void contexts_prefetch_place(struct contexts *contexts, size_t present,
			     uint32_t root);

/*
 * Returns the node of a context below `root`, and creates this node and those
 * of its callers if they do not exist.
 */
uint32_t contexts_place(struct contexts *contexts, struct context *context,
			uint32_t root);

#endif
