/* SPDX-License-Identifier: MIT */
/*
 * Counts allocations by calling context in clew's recording (agent/clew.h). Any
 * thread; nothing here calls malloc.
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
	ALLOC_BYTES, /* total of all allocations */
	ALLOC_LIVE,
	ALLOC_LIVE_BYTES,
	ALLOC_PEAK_BYTES,   /* maximum of live bytes of one context */
	ALLOC_MAPPINGS,     /* calls of mmap() and mremap() */
	ALLOC_MAPPED_BYTES, /* mapped now */
	/* Maximum of live bytes of the process; counted outside contexts. */
	ALLOC_PROCESS_PEAK,
	/*
	 * Blocks and mappings that could not be entered in their table; counted
	 * outside contexts.
	 */
	ALLOC_UNTRACKED,
	/* Blocks that lived less than 1 us, and so on. */
	ALLOC_FREED_1US,
	ALLOC_FREED_10US,
	ALLOC_FREED_100US,
	ALLOC_FREED_1MS,
	ALLOC_FREED_10MS,
	ALLOC_FREED_100MS,
	ALLOC_FREED_1S,
	ALLOC_FREED_LATER,
	ALLOC_VALUES
};

/*
 * Returns whether clew is present; called repeatedly until `is_last`, because
 * clew may not have begun yet.
 */
int alloc_sites_begin(int is_last);

/* Returns the row of the thread's context; 0: nothing is counted. */
uint64_t alloc_sites_here(void);

/* Count a new block, and its end. */
void alloc_sites_add(uint64_t row, size_t bytes);
void alloc_sites_remove(uint64_t row, size_t bytes, uint64_t lived_ns);

/* Adds to the mappings and mapped bytes of a row; both may be negative. */
void alloc_sites_map(uint64_t row, int64_t mappings, int64_t bytes);

/* Counts a block that is not tracked. */
void alloc_sites_miss(void);

/* Called in a forked child: resets the process's counts. */
void alloc_sites_after_fork(void);

#endif
