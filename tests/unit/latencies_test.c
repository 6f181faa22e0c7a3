/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "report/trace/latencies.h"

enum { CALLS = 3000 };

static uint64_t at_least(const uint64_t *calls, uint64_t ns)
{
	uint64_t count = 0;

	for (size_t i = 0; i < CALLS; i++)
		count += calls[i] >= ns;
	return count;
}

/* Measures calls of random lengths: many short, similar ones, and long ones. */
static struct latencies *measured(uint64_t *calls)
{
	struct latencies *latencies = calloc(1, sizeof(*latencies));
	uint64_t random = 88172645463325252;

	assert_non_null(latencies);
	for (size_t i = 0; i < CALLS; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		calls[i] = random >> (4 + i % 60);
		latencies_add(latencies, calls[i]);
	}
	return latencies;
}

static void no_more_than_the_requested_longest_calls_are_kept(void **state)
{
	uint64_t calls[CALLS];
	struct latencies *latencies = measured(calls);

	(void)state;
	for (uint64_t most = 0; most < CALLS; most++) {
		const uint64_t ns = latencies_longest(latencies, most);

		assert_true(at_least(calls, ns) <= most);
		/*
		 * A bin is 1/128 wide. Below it there are more calls than
		 * requested.
		 */
		assert_true(at_least(calls, ns - 1 - ns / 128) > most);
	}
	free(latencies);
}

static void all_of_few_calls_are_kept(void **state)
{
	uint64_t calls[CALLS];
	struct latencies *latencies = measured(calls);

	(void)state;
	assert_int_equal(latencies_longest(latencies, CALLS), 0);
	assert_int_equal(latencies_longest(latencies, UINT64_MAX), 0);
	free(latencies);
}

static void no_call_is_above_the_longest(void **state)
{
	struct latencies *latencies = calloc(1, sizeof(*latencies));

	(void)state;
	assert_non_null(latencies);
	assert_int_equal(latencies_longest(latencies, 0), 0);
	latencies_add(latencies, 100);
	assert_int_equal(latencies_longest(latencies, 0), 101);
	free(latencies);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			no_more_than_the_requested_longest_calls_are_kept),
		cmocka_unit_test(all_of_few_calls_are_kept),
		cmocka_unit_test(no_call_is_above_the_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
