/* SPDX-License-Identifier: MIT */
#include "preload/patch/shadowed.h"

#include <sys/syscall.h>

#include "preload/hot/shadow.h"
#include "preload/sys/sys.h"

#define PAGES_AT_ONCE     2048
#define RANGE_BYTES_MAX   (UINT64_C(64) << 30)
#define PIECES_OF_REGION  (1 << (SHADOW_REGION_SHIFT - SHADOW_PIECE_SHIFT))
#define PIECE_STACK_BYTES (UINT64_C(1) << SHADOW_PIECE_SHIFT)

/* Of stack, for which there is a page of shadow. */
#define PAGE_STACK_BYTES (PAGE_BYTES / 2)

struct shadowed_look {
	int (*look)(const void *context, uint64_t at, uint64_t word, int is_pc);
	const void *context;
};

static int look_at_words(const struct shadowed_look *to, uint64_t at)
{
	uint64_t words[PAGE_STACK_BYTES / 8];
	int result = 0;

	if (sys_read_memory(at, words, sizeof(words)))
		return 0;
	for (uint64_t i = 0; i < PAGE_STACK_BYTES / 8 && !result; i++)
		result = to->look(to->context, at + 8 * i, words[i], 0);
	return result;
}

/* ---- The shadow of ordinary stacks ---- */

static int look_at_pages(const struct shadowed_look *to, uint64_t stack,
			 uint64_t count)
{
	unsigned char is_there[PAGES_AT_ONCE];
	int result = 0;

	if (sys_call(SYS_mincore, (long)shadow_of(stack),
		     (long)(count * PAGE_BYTES), (long)is_there, 0, 0, 0))
		return 0;
	for (uint64_t i = 0; i < count && !result; i++)
		if (is_there[i] & 1)
			result =
				look_at_words(to, stack + i * PAGE_STACK_BYTES);
	return result;
}

static int look_at_range(const struct shadowed_look *to,
			 const struct memory_range *range)
{
	uint64_t at =
		range->start > hot_shadow_low ? range->start : hot_shadow_low;
	int result = 0;

	if (range->end <= at || range->end > ADDRESS_END ||
	    range->end - at > RANGE_BYTES_MAX)
		return 0;
	while (at < range->end && !result) {
		uint64_t count = (range->end - at) / PAGE_STACK_BYTES;

		if (count > PAGES_AT_ONCE)
			count = PAGES_AT_ONCE;
		result = look_at_pages(to, at, count);
		at += count * PAGE_STACK_BYTES;
	}
	return result;
}

/* ---- Shadow in pieces ---- */

static int look_at_region(const struct shadowed_look *to, uint64_t first)
{
	int result = 0;

	for (uint64_t i = 0; i < PIECES_OF_REGION && !result; i++) {
		const uint64_t start = first + i * PIECE_STACK_BYTES;
		const _Atomic uint64_t *piece = shadow_piece(start);

		for (uint64_t at = start; piece && *piece && !result &&
					  at < start + PIECE_STACK_BYTES;
		     at += PAGE_STACK_BYTES)
			result = look_at_words(to, at);
	}
	return result;
}

int shadowed_walk(const struct stacks *stacks,
		  int (*look)(const void *context, uint64_t at, uint64_t word,
			      int is_pc),
		  const void *context)
{
	const struct shadowed_look to = { look, context };
	int result = 0;

	for (uint32_t i = 0; i < stacks->count && !result; i++)
		result = look_at_range(&to, &stacks->ranges[i]);
	for (uint64_t i = 0; i < SHADOW_REGION_COUNT && !result; i++)
		if (hot_shadow_regions[i])
			result = look_at_region(&to, i << SHADOW_REGION_SHIFT);
	return result;
}
