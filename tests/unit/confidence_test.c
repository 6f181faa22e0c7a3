/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <math.h>

#include "report/confidence.h"

static void assert_bound(uint64_t trials, uint64_t mismatches, double expected)
{
	double bound = confidence_upper_bound(trials, mismatches);

	if (fabs(bound - expected) > 1e-4 * expected)
		fail_msg("%lu of %lu: %.9g instead of %.9g", mismatches, trials,
			 bound, expected);
}

static void no_mismatch_bounds_by_three_over_n(void **state)
{
	(void)state;
	assert_bound(1, 0, 0.95);
	assert_bound(100, 0, 0.0295130);
	assert_bound(1000000, 0, 2.99573e-6);
}

/* Solved in exact rational arithmetic. */
static void bounds_are_those_of_clopper_and_pearson(void **state)
{
	(void)state;
	assert_bound(10, 1, 0.3941633);
	assert_bound(100, 5, 0.1022533);
	assert_bound(1000, 3, 0.0077352);
	assert_bound(20, 19, 0.9974386);
}

/* Wilson's interval of 20 in 100 is [0.1333, 0.2888]. */
static void shares_have_an_error(void **state)
{
	(void)state;
	assert_true(fabs(confidence_share_error(0.2, 100) - 0.0777) < 1e-4);
	assert_true(confidence_share_error(0.2, 10000) < 0.01);
	assert_true(confidence_share_error(1, 10) > 0.1);
	assert_true(confidence_share_error(0.5, 0) == 0);
}

static void senseless_counts_end_quickly(void **state)
{
	(void)state;
	assert_bound(0, 0, 1);
	assert_bound(5, 5, 1);
	assert_bound(5, UINT64_MAX, 1);
	assert_true(confidence_upper_bound(UINT64_MAX, UINT64_MAX / 2) <= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_mismatch_bounds_by_three_over_n),
		cmocka_unit_test(bounds_are_those_of_clopper_and_pearson),
		cmocka_unit_test(shares_have_an_error),
		cmocka_unit_test(senseless_counts_end_quickly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
