/* SPDX-License-Identifier: MIT */
/* See numbers.h. */
#include "preload/record/numbers.h"

#include <errno.h>

#include "machine/address_space.h"
#include "preload/hot/large_table.h"
#include "preload/sys/sys.h"

/*
 * Block 0 is not used, because number 0 means "none"; the last block contains
 * WIRE_FOLDED.
 */
#define FIRST_BLOCK 1
#define END_BLOCK   (NUMBER_BLOCKS - 1)

const struct number_range *_Atomic number_blocks[NUMBER_BLOCKS] LARGE_TABLE;

/*
 * An element of number_blocks points to this range, which contains no numbers,
 * while a thread is taking the block.
 */
static const struct number_range claim;

static uint32_t blocks_of(const struct number_range *range)
{
	return (range->count >> NUMBER_BLOCK_LOG2) +
	       (range->count % NUMBER_BLOCK != 0);
}

/*
 * Claims the blocks [first, end), or none of them. Returns 0, or the number of
 * a block that is already taken.
 */
static uint32_t claim_blocks(uint32_t first, uint32_t end)
{
	uint32_t at = first;

	for (; at < end; at++) {
		const struct number_range *none = NULL;

		if (!atomic_compare_exchange_strong(&number_blocks[at], &none,
						    &claim))
			break;
	}
	if (at == end)
		return 0;
	for (uint32_t i = first; i < at; i++)
		atomic_store(&number_blocks[i], NULL);
	return at;
}

/* Claims consecutive blocks in [from, end). Returns the first one, or 0. */
static uint32_t claim_gap(uint32_t from, uint32_t end, uint32_t blocks)
{
	while (from < end && end - from >= blocks) {
		const uint32_t taken = claim_blocks(from, from + blocks);

		if (!taken)
			return from;
		from = taken + 1;
	}
	return 0;
}

int numbers_take(struct number_range *range, uint32_t preferred_block)
{
	const uint32_t blocks = blocks_of(range);
	uint32_t at = 0;

	if (!blocks)
		return -EINVAL;
	if (preferred_block >= FIRST_BLOCK)
		at = claim_gap(preferred_block, END_BLOCK, blocks);
	if (!at)
		at = claim_gap(FIRST_BLOCK, END_BLOCK, blocks);
	if (!at)
		return -ENOSPC;
	range->first = at << NUMBER_BLOCK_LOG2;
	for (uint32_t i = 0; i < blocks; i++)
		atomic_store_explicit(&number_blocks[at + i], range,
				      memory_order_release);
	return 0;
}

#define BLOCKS_OF_PAGE (PAGE_BYTES / sizeof(*number_blocks))

/*
 * Releases the pages of the table number_blocks that contain entries of these
 * blocks and are empty now.
 */
static void trim(uint32_t first, uint32_t end)
{
	const uint64_t table = (uintptr_t)number_blocks;
	const uint64_t until = table + end * sizeof(*number_blocks);
	uint64_t page = table + first * sizeof(*number_blocks);

	for (page &= ~(PAGE_BYTES - 1); page < until; page += PAGE_BYTES) {
		const void *const *at = (const void *const *)page;
		uint32_t i = 0;

		if (page < table ||
		    page + PAGE_BYTES > table + sizeof(number_blocks))
			continue;
		while (i < BLOCKS_OF_PAGE && !at[i])
			i++;
		if (i == BLOCKS_OF_PAGE)
			sys_madvise((void *)page, PAGE_BYTES, MADV_DONTNEED);
	}
}

void numbers_give_back(const struct number_range *range)
{
	const uint32_t first = range->first >> NUMBER_BLOCK_LOG2;
	const uint32_t end = first + blocks_of(range);

	for (uint32_t i = first; i < end; i++)
		if (atomic_load(&number_blocks[i]) == range)
			atomic_store(&number_blocks[i], NULL);
	trim(first, end);
}

uint32_t numbers_preferred(const void *identity, size_t bytes)
{
	const unsigned char *at = identity;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	while (bytes--)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return (uint32_t)((hash ^ hash >> 32) % NUMBER_BLOCKS);
}

void numbers_set_module(uint32_t first, struct wire_module *record)
{
	const struct number_range *range =
		atomic_load(&number_blocks[first >> NUMBER_BLOCK_LOG2]);

	if (first && range && range->first == first)
		atomic_store_explicit(&((struct number_range *)range)->module,
				      record, memory_order_release);
}

uint64_t numbers_unloaded_ns(const struct wire_module *record)
{
	const struct number_range *range =
		record->function_count ? numbers_find(record->first_function)
				       : NULL;

	return range ? atomic_load(&range->unloaded_ns) : 0;
}

uint32_t numbers_modules(void)
{
	const struct number_range *former = NULL;
	uint32_t count = 0;

	for (uint32_t i = 0; i < NUMBER_BLOCKS; i++) {
		const struct number_range *range =
			atomic_load(&number_blocks[i]);

		if (range && range != former &&
		    range->kind == WIRE_RANGE_MODULE && range->used)
			count++;
		former = range;
	}
	return count;
}
