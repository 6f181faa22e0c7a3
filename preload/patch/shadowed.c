/* SPDX-License-Identifier: MIT */
/* See shadowed.h. */
#include "preload/patch/shadowed.h"

#include <sys/syscall.h>

#include "preload/hot/shadow.h"
#include "preload/sys/sys.h"

#define PAGES_AT_ONCE     2048
#define RANGE_BYTES_MAX   (UINT64_C(64) << 30)
#define PIECES_OF_REGION  (1 << (SHADOW_REGION_SHIFT - SHADOW_PIECE_SHIFT))
#define PIECE_STACK_BYTES (UINT64_C(1) << SHADOW_PIECE_SHIFT)

/* Bytes of stack whose shadow is one page. */
#define PAGE_STACK_BYTES (PAGE_BYTES / 2)

struct shadowed_search {
	const struct stacks *stacks;
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

static int search_pages(const struct shadowed_search *to, uint64_t stack,
			uint64_t count)
{
	const uint64_t most =
		to->stacks->room ? STACKS_WORDS_BYTES / PAGE_STACK_BYTES : 1;
	unsigned char few[PAGES_AT_ONCE];
	unsigned char *is_there =
		to->stacks->room
			? (unsigned char *)to->stacks->room + STACKS_WORDS_BYTES
			: few;
	int result = 0;

	if (sys_call(SYS_mincore, (long)shadow_of(stack),
		     (long)(count * PAGE_BYTES), (long)is_there, 0, 0, 0))
		return 0;
	for (uint64_t i = 0, run; i < count && !result; i += run + !run) {
		run = 0;
		while (i + run < count && run < most && is_there[i + run] & 1)
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
 * the same mincore() call can check.
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

int shadowed_walk(const struct stacks *stacks,
		  int (*visit)(const void *context, uint64_t at, uint64_t word,
			       int is_pc),
		  const void *context)
{
	const struct shadowed_search to = { stacks, visit, context };
	int result = 0;

	for (uint32_t i = 0; i < stacks->count && !result;) {
		const struct memory_range range = take_ranges(stacks, &i);

		result = search_range(&to, &range);
	}
	for (uint64_t i = 0; i < SHADOW_REGION_COUNT && !result; i++)
		if (hot_shadow_regions[i])
			result = search_region(&to, i << SHADOW_REGION_SHIFT);
	return result;
}
