/* SPDX-License-Identifier: MIT */
/* See shadowed.h. */
#include "preload/patch/shadowed.h"

#include <sys/syscall.h>

#include "preload/hot/shadow.h"
#include "preload/sys/pagemap.h"
#include "preload/sys/proc.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"

#define PAGES_AT_ONCE     512
#define RANGE_BYTES_MAX   (UINT64_C(64) << 30)
#define PIECES_OF_REGION  (1 << (SHADOW_REGION_SHIFT - SHADOW_PIECE_SHIFT))
#define PIECE_STACK_BYTES (UINT64_C(1) << SHADOW_PIECE_SHIFT)

/* Bytes of stack whose shadow is one page. */
#define PAGE_STACK_BYTES (PAGE_BYTES / 2)

struct shadowed_search {
	const struct stacks *stacks;
	int pagemap; /* descriptor of /proc/self/pagemap, or -errno */
	int (*visit)(const void *context, uint64_t at, uint64_t word,
		     int is_pc);
	const void *context;
};

static int show_words(const struct shadowed_search *to, uint64_t at,
		      const uint64_t *words, uint64_t bytes)
{
	int result = 0;

	for (uint64_t i = 0; i < bytes / 8 && !result; i++)
		result = to->visit(to->context, at + 8 * i, words[i], 0);
	return result;
}

static int search_words(const struct shadowed_search *to, uint64_t at)
{
	uint64_t words[PAGE_STACK_BYTES / 8];

	if (sys_read_memory_of(to->stacks->tid, at, words, sizeof(words)))
		return 0;
	return show_words(to, at, words, sizeof(words));
}

/*
 * Searches `count` pages of stack. Reads them at once, or one by one if some
 * cannot be read.
 */
static int search_run(const struct shadowed_search *to, uint64_t at,
		      uint64_t count)
{
	const uint64_t bytes = count * PAGE_STACK_BYTES;
	int result = 0;

	if (count > 1 &&
	    !sys_read_memory_of(to->stacks->tid, at, to->stacks->room, bytes))
		return show_words(to, at, to->stacks->room, bytes);
	for (uint64_t i = 0; i < count && !result; i++)
		result = search_words(to, at + i * PAGE_STACK_BYTES);
	return result;
}

/* ---- The shadow of ordinary stacks ---- */

/*
 * Stores entries of pagemap for the shadow of `count` pages of stack. Without
 * pagemap mincore() finds the pages in RAM. Returns 0 or -errno.
 */
static int find_shadow(const struct shadowed_search *to, uint64_t stack,
		       uint64_t count, uint64_t *entries)
{
	const uint64_t shadow = (uintptr_t)shadow_of(stack);
	const unsigned char *in_ram = (const unsigned char *)entries;
	long got;

	if (to->pagemap >= 0)
		return pagemap_read(to->pagemap, shadow, count, entries);
	got = sys_call(SYS_mincore, (long)shadow, (long)(count * PAGE_BYTES),
		       (long)entries, 0, 0, 0);
	/* Backwards, because the results are in the same memory. */
	for (uint64_t i = count; !got && i > 0; i--)
		entries[i - 1] = in_ram[i - 1] & 1 ? PAGEMAP_IS_THERE : 0;
	return (int)got;
}

static int search_pages(const struct shadowed_search *to, uint64_t stack,
			uint64_t count)
{
	const uint64_t most =
		to->stacks->room ? STACKS_WORDS_BYTES / PAGE_STACK_BYTES : 1;
	uint64_t few[PAGES_AT_ONCE];
	uint64_t *entries = to->stacks->room
				    ? to->stacks->room + STACKS_WORDS_BYTES / 8
				    : few;
	int result = find_shadow(to, stack, count, entries);

	for (uint64_t i = 0, run; i < count && !result; i += run + !run) {
		run = 0;
		while (i + run < count && run < most &&
		       entries[i + run] & PAGEMAP_IS_THERE)
			run++;
		if (run)
			result = search_run(to, stack + i * PAGE_STACK_BYTES,
					    run);
	}
	return result;
}

static int search_range(const struct shadowed_search *to,
			const struct memory_range *range)
{
	uint64_t at =
		range->start > hot_shadow_low ? range->start : hot_shadow_low;
	int result = 0;

	if (range->end <= at || range->end > ADDRESS_END ||
	    range->end - at > RANGE_BYTES_MAX)
		return 0;
	while (at < range->end && !result) {
		const uint64_t most =
			to->stacks->room ? STACKS_PAGES : PAGES_AT_ONCE;
		uint64_t count = (range->end - at) / PAGE_STACK_BYTES;

		if (count > most)
			count = most;
		result = search_pages(to, at, count);
		at += count * PAGE_STACK_BYTES;
	}
	return result;
}

/*
 * Returns the next range of memory, merged with following ranges whose shadow
 * the same system call can check.
 */
static struct memory_range take_ranges(const struct stacks *stacks, uint32_t *i)
{
	struct memory_range range = stacks->ranges[(*i)++];

	while (stacks->room && *i < stacks->count &&
	       range.start >= hot_shadow_low &&
	       stacks->ranges[*i].end - range.start <=
		       STACKS_PAGES * PAGE_STACK_BYTES)
		range.end = stacks->ranges[(*i)++].end;
	return range;
}

/* ---- Shadow in pieces ---- */

static int search_region(const struct shadowed_search *to, uint64_t first)
{
	int result = 0;

	for (uint64_t i = 0; i < PIECES_OF_REGION && !result; i++) {
		const uint64_t start = first + i * PIECE_STACK_BYTES;
		const _Atomic uint64_t *piece = shadow_piece(start);

		for (uint64_t at = start; piece && *piece && !result &&
					  at < start + PIECE_STACK_BYTES;
		     at += PAGE_STACK_BYTES)
			result = search_words(to, at);
	}
	return result;
}

/*
 * Opens pagemap. In a process that is not dumpable this fails, and pages in RAM
 * are searched only, which is enough if nothing is swapped out. Returns 0 or
 * -errno.
 */
static int open_pagemap(struct shadowed_search *to)
{
	struct proc_line swapped = { .name = "VmSwap", .base = 10 };
	int err;

	to->pagemap = proc_open_own("pagemap", O_RDONLY);
	if (to->pagemap >= 0)
		return 0;
	err = proc_status(to->stacks->tid, &swapped, 1);
	if (err)
		return err;
	return swapped.value ? to->pagemap : 0;
}

int shadowed_has_pagemap(void)
{
	const int pagemap = proc_open_own("pagemap", O_RDONLY);

	if (pagemap >= 0)
		sys_close(pagemap);
	return pagemap >= 0;
}

int shadowed_walk(const struct stacks *stacks,
		  int (*visit)(const void *context, uint64_t at, uint64_t word,
			       int is_pc),
		  const void *context)
{
	struct shadowed_search to = { .stacks = stacks,
				      .visit = visit,
				      .context = context };
	int result = open_pagemap(&to);

	for (uint32_t i = 0; i < stacks->count && !result;) {
		const struct memory_range range = take_ranges(stacks, &i);

		result = search_range(&to, &range);
	}
	for (uint64_t i = 0; i < SHADOW_REGION_COUNT && !result; i++)
		if (hot_shadow_regions[i])
			result = search_region(&to, i << SHADOW_REGION_SHIFT);
	if (to.pagemap >= 0)
		sys_close(to.pagemap);
	return result;
}
