/* SPDX-License-Identifier: MIT */
/*
 * Counts allocations by calling context in clew's recording (agent/clew.h). Any
 * thread may call these functions, which do not call malloc().
 */
#ifndef CLEW_ALLOC_SITES_H
#define CLEW_ALLOC_SITES_H

#include <stddef.h>
#include <stdint.h>

/*
 * The values of clew report --value=NAME, in the order of the names in
 * alloc_sites.c.
 */
enum alloc_value {
	ALLOC_ALLOCATIONS,
	ALLOC_BYTES, /* total bytes of all allocations */
	ALLOC_LIVE,
	ALLOC_LIVE_BYTES,
	ALLOC_PEAK_BYTES,   /* maximum of live bytes of one context */
	ALLOC_MAPPINGS,     /* calls of mmap() and mremap() */
	ALLOC_MAPPED_BYTES, /* bytes that are mapped at present */
	/*
	 * Maximum of live bytes of the process. Counted outside of all
	 * contexts.
	 */
	ALLOC_PROCESS_PEAK,
	/*
	 * Number of blocks and mappings that could not be stored in their
	 * table, because it was full or locked. Counted outside of all
	 * contexts.
	 */
	ALLOC_UNTRACKED,
	/*
	 * Number of blocks that lived less than 1 us, less than 10 us, and so
	 * on.
	 */
	ALLOC_FREED_1US,
	ALLOC_FREED_10US,
	ALLOC_FREED_100US,
	ALLOC_FREED_1MS,
	ALLOC_FREED_10MS,
	ALLOC_FREED_100MS,
	ALLOC_FREED_1S,
	ALLOC_FREED_LATER,
	/*
	 * Number of blocks that were freed or reallocated here and that had
	 * been allocated before anything was counted.
	 */
	ALLOC_FREED_BEFORE,
	ALLOC_VALUES
};

/*
 * Returns whether clew is present. It is called repeatedly, because clew may
 * not have begun yet; is_last is set at the last call.
 */
int alloc_sites_begin(int is_last);

/* Returns the row of the thread's context, or 0 if nothing is counted. */
uint64_t alloc_sites_here(void);

/*
 * alloc_sites_add() counts a new block, alloc_sites_remove() the end of a
 * block.
 */
void alloc_sites_add(uint64_t row, size_t bytes);
void alloc_sites_remove(uint64_t row, size_t bytes, uint64_t lived_ns);

/* Counts the end of a block that was allocated before anything was counted. */
void alloc_sites_remove_older(uint64_t row);

/* Counts a live block as untracked, because it cannot be stored. */
void alloc_sites_lose(uint64_t row, size_t bytes);

/* Adds to the mappings and mapped bytes of a row; both may be negative. */
void alloc_sites_map(uint64_t row, int64_t mappings, int64_t bytes);

/* Counts a block or a mapping that could not be stored (ALLOC_UNTRACKED). */
void alloc_sites_miss(void);

/*
 * Called in a forked child, and before a session: resets the process's counts.
 */
void alloc_sites_begin_again(void);

#endif
