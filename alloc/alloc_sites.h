/* SPDX-License-Identifier: MIT */
/*
 * Where memory is allocated: calling contexts, and what is counted of each, in clew's
 * recording (agent/clew.h). Any thread; nothing here allocates by malloc.
 */
#ifndef CLEW_ALLOC_SITES_H
#define CLEW_ALLOC_SITES_H

#include <stddef.h>
#include <stdint.h>

/* What clew report --value=NAME takes, in the order of the names in alloc_sites.c. */
enum alloc_value {
	ALLOC_ALLOCATIONS,
	ALLOC_BYTES, /* of all of these */
	ALLOC_LIVE,
	ALLOC_LIVE_BYTES,
	ALLOC_PEAK_BYTES,   /* that were live at once, of one context */
	ALLOC_MAPPINGS,     /* calls of mmap(), mremap() */
	ALLOC_MAPPED_BYTES, /* that are mapped now */
	ALLOC_PROCESS_PEAK, /* bytes that were live at once, of no context */
	ALLOC_UNTRACKED,    /* blocks that found no room here, of no context */
	ALLOC_FREED_1US,    /* blocks that lived less than that, and so on */
	ALLOC_FREED_10US,
	ALLOC_FREED_100US,
	ALLOC_FREED_1MS,
	ALLOC_FREED_10MS,
	ALLOC_FREED_100MS,
	ALLOC_FREED_1S,
	ALLOC_FREED_LATER,
	ALLOC_VALUES
};

/* Whether clew is here; asked again until `is_last`, as it may not have begun yet. */
int alloc_sites_begin(int is_last);

/* The row of the context that the thread is in; 0: nothing is counted. */
uint64_t alloc_sites_here(void);

/* A block of so many bytes came, or went after so long. */
void alloc_sites_add(uint64_t row, size_t bytes);
void alloc_sites_remove(uint64_t row, size_t bytes, uint64_t lived_ns);

/* More, or less, is mapped there. */
void alloc_sites_map(uint64_t row, int64_t mappings, int64_t bytes);

/* A block is not known from now on. */
void alloc_sites_miss(void);

/* In a forked child: nothing has been allocated. */
void alloc_sites_after_fork(void);

#endif
