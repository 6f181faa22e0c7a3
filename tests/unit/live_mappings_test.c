/* SPDX-License-Identifier: MIT */
/*
 * Tests of alloc/live_mappings.c. Rows are indexes of `bytes_of`; addresses are
 * only numbers.
 */
#include "alloc/live_mappings.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alloc/alloc_sites.h"
#include "tests/unit/unit.h"

#define PAGE         4096
#define MAPPINGS_MAX 65536

static int64_t bytes_of[3];
static int missed;

void alloc_sites_map(uint64_t row, int64_t mappings, int64_t bytes)
{
	bytes_of[row] += bytes;
}

void alloc_sites_miss(void)
{
	missed++;
}

static const void *page(uint64_t number)
{
	return (const void *)(uintptr_t)(number * PAGE);
}

static void unmap(uint64_t first, uint64_t count)
{
	assert_true(live_mappings_hold());
	live_mappings_release(page(first), count * PAGE);
}

static _Atomic int adder;

static void *add(void *unused)
{
	adder = (int)syscall(SYS_gettid);
	live_mappings_add(page(1), PAGE, 2);
	return NULL;
}

/* Returns whether a thread sleeps or has ended. */
static int is_waiting(int tid)
{
	char path[64], line[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return 1;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	return strstr(line, ") S ") != NULL;
}

static void mapping_at_an_address_that_was_just_unmapped_is_kept(void **state)
{
	pthread_t thread;

	live_mappings_add(page(1), PAGE, 1);
	assert_int_equal(bytes_of[1], PAGE);
	assert_true(live_mappings_hold());
	pthread_create(&thread, NULL, add, NULL);
	while (!adder || !is_waiting(adder))
		sched_yield();
	live_mappings_release(page(1), PAGE);
	pthread_join(thread, NULL);
	assert_int_equal(bytes_of[1], 0);
	assert_int_equal(bytes_of[2], PAGE);
	unmap(1, 1);
	assert_int_equal(bytes_of[2], 0);
}

static void failed_unmapping_removes_nothing(void **state)
{
	live_mappings_add(page(1), 3 * PAGE, 1);
	assert_true(live_mappings_hold());
	live_mappings_release(page(2), 0);
	assert_int_equal(bytes_of[1], 3 * PAGE);
	unmap(1, 3);
	assert_int_equal(bytes_of[1], 0);
}

static void lost_rest_of_a_mapping_is_counted(void **state)
{
	missed = 0;
	for (uint64_t i = 0; i < MAPPINGS_MAX; i++)
		live_mappings_add(page(4 + 4 * i), 3 * PAGE, 1);
	assert_int_equal(missed, 0);
	unmap(5, 1);
	assert_int_equal(missed, 1);
	assert_int_equal(bytes_of[1], (3 * MAPPINGS_MAX - 2) * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			mapping_at_an_address_that_was_just_unmapped_is_kept),
		cmocka_unit_test(failed_unmapping_removes_nothing),
		cmocka_unit_test(lost_rest_of_a_mapping_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
