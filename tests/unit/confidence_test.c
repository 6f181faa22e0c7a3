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

static double binomial(unsigned int n, unsigned int k, double p)
{
	return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
		   k * log(p) + (n - k) * log1p(-p));
}

/* How often the interval holds the share that it estimates; exact. */
static double coverage(unsigned int samples, double share)
{
	double sum = 0;

	for (unsigned int k = 0; k <= samples; k++) {
		double weight = binomial(samples, k, share);
		struct share_interval likely;

		if (weight < 1e-9)
			continue;
		likely = confidence_share((double)k / samples, samples);
		if (likely.low <= share && share <= likely.high)
			sum += weight;
	}
	return sum;
}

/* Jeffreys' interval of 20 in 100; the rule of three of none. */
static void shares_have_an_interval(void **state)
{
	struct share_interval some = confidence_share(0.2, 100);
	struct share_interval none = confidence_share(0, 1000);
	struct share_interval all = confidence_share(1, 1000);

	(void)state;
	assert_true(fabs(some.low - 0.1307) < 1e-4);
	assert_true(fabs(some.high - 0.2862) < 1e-4);
	assert_true(none.low == 0 && fabs(none.high - 0.00251) < 1e-4);
	assert_true(all.high == 1 && fabs(all.low + none.high - 1) < 1e-6);
	some = confidence_share(0.5, 0);
	assert_true(some.low == 0 && some.high == 1);
	some = confidence_share(NAN, 10);
	assert_true(some.low == 0 && some.high == 1);
}

static void intervals_hold_what_they_promise(void **state)
{
	static const unsigned int samples[] = { 8,   16,  35,   69,
						150, 400, 1000, 5000 };
	const int shares = 24; /* from 0.5 to 70 %, evenly by their logarithm */
	double all = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		double mean = 0;

		for (int j = 0; j < shares; j++) {
			double share = 0.005 * pow(140, j / (shares - 1.0));
			double one = coverage(samples[i], share);

			/* No method is nearer to 95 % for each: samples are
			   whole numbers. */
			assert_true(one > 0.90);
			mean += one / shares;
		}
		if (mean < 0.94 || mean > 0.97)
			fail_msg("%u samples: %.4f", samples[i], mean);
		all += mean / (sizeof(samples) / sizeof(*samples));
	}
	if (fabs(all - 0.95) > 0.01)
		fail_msg("over all: %.4f", all);
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
		cmocka_unit_test(shares_have_an_interval),
		cmocka_unit_test(intervals_hold_what_they_promise),
		cmocka_unit_test(senseless_counts_end_quickly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
