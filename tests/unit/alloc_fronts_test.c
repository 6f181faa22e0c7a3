/* SPDX-License-Identifier: MIT */
/*
 * Tests of alloc/alloc_fronts.c. The test defines the functions that store and
 * count blocks, so that storing fails when a test requests it.
 */
#include <errno.h>
#include <stdlib.h>

#include "alloc/alloc_sites.h"
#include "alloc/live_blocks.h"
#include "alloc/live_mappings.h"
#include "tests/unit/unit.h"

#define BYTES 24

/* Volatile, because compilers expect that malloc() reads no variables. */
static volatile int is_full, is_stored;
static volatile int removed, older, lost;

int alloc_sites_begin(int is_last)
{
	return 1;
}

uint64_t alloc_sites_here(void)
{
	return 1;
}

void alloc_sites_add(uint64_t row, size_t bytes)
{
}

void alloc_sites_remove(uint64_t row, size_t bytes, uint64_t lived_ns)
{
	removed++;
}

void alloc_sites_lose(uint64_t row, size_t bytes)
{
	lost += bytes == BYTES;
}

void alloc_sites_remove_older(uint64_t row)
{
	older++;
}

void alloc_sites_begin_again(void)
{
}

int live_blocks_add(const struct live_block *block)
{
	errno = EBUSY;
	return is_full ? -ENOMEM : 0;
}

int live_blocks_take(const void *at, struct live_block *out)
{
	*out = (struct live_block){ .at = (uintptr_t)at, .bytes = BYTES };
	return is_stored;
}

void live_blocks_clear(int may_wait)
{
}

void live_blocks_before_fork(void)
{
}

void live_blocks_after_fork(int is_child)
{
}

void live_mappings_add(const void *at, size_t bytes, uint64_t row)
{
}

int live_mappings_hold(void)
{
	return 0;
}

void live_mappings_release(const void *at, size_t bytes)
{
}

void live_mappings_clear(int may_wait)
{
}

void live_mappings_before_fork(void)
{
}

void live_mappings_after_fork(int is_child)
{
}

static void block_that_cannot_be_stored_is_not_counted_as_freed(void **state)
{
	void *block;

	removed = lost = 0;
	is_full = 1;
	block = malloc(BYTES);
	is_full = 0;
	assert_int_equal(removed, 0);
	assert_int_equal(lost, 1);
	free(block);
}

static void block_that_is_lost_in_a_failed_realloc_is_counted(void **state)
{
	static volatile size_t too_much = SIZE_MAX / 2;
	void *block = malloc(BYTES), *larger;
	int err;

	removed = lost = 0;
	is_full = is_stored = 1;
	errno = 0;
	larger = realloc(block, too_much);
	err = errno;
	is_full = is_stored = 0;
	assert_null(larger);
	assert_int_equal(err, ENOMEM);
	assert_int_equal(removed, 0);
	assert_int_equal(lost, 1);
	free(block);
}

static void ends_of_unknown_blocks_count_once_as_older(void **state)
{
	static volatile size_t too_much = SIZE_MAX / 2;
	void *block = malloc(BYTES), *other = malloc(BYTES);

	removed = older = lost = 0;
	assert_null(realloc(block, too_much));
	assert_int_equal(older, 0);
	block = realloc(block, 2 * BYTES);
	assert_int_equal(older, 1);
	free(other);
	assert_int_equal(older, 2);
	other = realloc(NULL, BYTES);
	assert_int_equal(older, 2);
	free(other);
	free(block);
	assert_int_equal(older, 4);
	assert_int_equal(removed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			block_that_cannot_be_stored_is_not_counted_as_freed),
		cmocka_unit_test(
			block_that_is_lost_in_a_failed_realloc_is_counted),
		cmocka_unit_test(ends_of_unknown_blocks_count_once_as_older),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
