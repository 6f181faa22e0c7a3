/* SPDX-License-Identifier: MIT */
/* Tests of preload/sys/place.c, which chooses addresses of clew's memory. */
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/mman.h>

#include "preload/sys/place.h"
#include "preload/sys/sys.h"

#define PAGE      4096
#define SKIPPED   (UINT64_C(1) << 30)
#define TOO_LARGE (UINT64_C(1) << 41)
#define LOWEST    UINT64_C(0x600000000000) /* lowest of the kernel */

static void *map(size_t bytes)
{
	void *at =
		place_map(bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_false(sys_failed(at));
	return at;
}

static void the_kernel_chooses_until_there_is_a_range(void **state)
{
	void *at = map(PAGE);

	assert_true((uintptr_t)at > LOWEST);
	sys_munmap(at, PAGE);
	place_begin();
	at = map(PAGE);
	assert_true((uintptr_t)at < LOWEST);
	sys_munmap(at, PAGE);
}

static void mappings_follow_each_other(void **state)
{
	char *first = map(PAGE + 1), *second = map(PAGE), *third = map(1);

	assert_ptr_equal(second, first + 2 * PAGE);
	assert_ptr_equal(third, second + PAGE);
	sys_munmap(third, 1);
	sys_munmap(second, PAGE);
	sys_munmap(first, PAGE + 1);
	assert_ptr_equal(map(PAGE), first);
	sys_munmap(first, PAGE);
}

static void a_hole_is_not_filled(void **state)
{
	char *first = map(PAGE), *second = map(PAGE), *third;

	sys_munmap(first, PAGE);
	third = map(PAGE);
	assert_ptr_equal(third, second + PAGE);
	sys_munmap(third, PAGE);
	sys_munmap(second, PAGE);
}

static void foreign_mappings_are_skipped(void **state)
{
	char *ours = map(PAGE), *theirs = ours + PAGE, *next;

	assert_ptr_equal(mmap(theirs, PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			      -1, 0),
			 theirs);
	*theirs = 7;
	next = map(PAGE);
	assert_true(next >= theirs + SKIPPED);
	assert_true((uintptr_t)next < LOWEST);
	assert_int_equal(*theirs, 7);
	munmap(theirs, PAGE);
	sys_munmap(next, PAGE);
	sys_munmap(ours, PAGE);
}

static void large_mappings_are_outside_of_the_range(void **state)
{
	char *large = map(TOO_LARGE), *next = map(PAGE);

	assert_true((uintptr_t)large > LOWEST);
	assert_true((uintptr_t)next < LOWEST);
	sys_munmap(next, PAGE);
	sys_munmap(large, TOO_LARGE);
}

/*
 * Maps five times the size of the range, which wraps around and skips mapped
 * memory.
 */
static void the_range_does_not_end(void **state)
{
	const size_t bytes = (size_t)1 << 38;
	char *kept = map(PAGE);

	*kept = 7;
	for (int i = 0; i < 20; i++) {
		char *large = map(bytes), *behind = map(PAGE);

		assert_true((uintptr_t)large < LOWEST);
		assert_true((uintptr_t)behind < LOWEST);
		sys_munmap(large, bytes);
		sys_munmap(behind, PAGE);
	}
	assert_int_equal(*kept, 7);
	sys_munmap(kept, PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_chooses_until_there_is_a_range),
		cmocka_unit_test(mappings_follow_each_other),
		cmocka_unit_test(a_hole_is_not_filled),
		cmocka_unit_test(foreign_mappings_are_skipped),
		cmocka_unit_test(large_mappings_are_outside_of_the_range),
		cmocka_unit_test(the_range_does_not_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
