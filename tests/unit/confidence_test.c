/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <math.h>

#include "report/model/confidence.h"

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

/* The expected values were computed in exact rational arithmetic. */
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

/*
 * Returns the exact probability that the interval contains the estimated share.
 */
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

/*
 * Checks Jeffreys' interval for 20 of 100 samples, and the intervals for 0 and
 * for all of 1,000.
 */
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

static void intervals_contain_the_share_as_often_as_stated(void **state)
{
	static const unsigned int samples[] = { 8,   16,  35,   69,
						150, 400, 1000, 5000 };
	const int shares =
		24; /* from 0.5 to 70 %, in equal steps of the logarithm */
	double all = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		double mean = 0;

		for (int j = 0; j < shares; j++) {
			double share = 0.005 * pow(140, j / (shares - 1.0));
			double one = coverage(samples[i], share);

			/*
			 * Samples are whole numbers, so no method has exactly
			 * 95 % for each share.
			 */
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

/* ---- Samples of unequal weights, as recordings have them ---- */

static uint64_t random_state;

static double random_number(void)
{
	random_state =
		random_state * 6364136223846793005u + 1442695040888963407u;
	return (double)(random_state >> 11) / (double)(UINT64_C(1) << 53);
}

static double random_poisson(double mean)
{
	double limit = exp(-mean), product = random_number(), count = 0;

	if (mean > 30) /* a sum of two Poisson numbers is one */
		return random_poisson(mean / 2) + random_poisson(mean / 2);
	for (; product > limit; count++)
		product *= random_number();
	return count;
}

/*
 * A row of a report: its true share, and the time that one sample represents.
 */
struct row {
	double share, weight_ms;
};

#define ROWS   7
#define TRIALS 4000

/*
 * Shares of a program whose own time is sampled each millisecond and the
 * kernel's every four, and of a program that waits for various times.
 */
static const struct row sampled_by_cpu[ROWS] = {
	{ 0.02, 1 }, { 0.10, 1 }, { 0.50, 1 }, { 0.03, 4 },
	{ 0.10, 4 }, { 0.20, 4 }, { 0.05, 1 },
}, sampled_by_wall[ROWS] = {
	{ 0.03, 1 }, { 0.07, 2 }, { 0.10, 4 }, { 0.45, 4 },
	{ 0.15, 8 }, { 0.12, 16 }, { 0.08, 16 },
};

/*
 * Returns in what share of TRIALS trials, each of `ms` milliseconds, the row's
 * interval contains its share.
 */
static double coverage_of_row(const struct row *rows, int which, double ms,
			      int is_weighted)
{
	int held = 0;

	for (int i = 0; i < TRIALS; i++) {
		struct sampled all = { 0 }, part = { 0 };
		struct share_interval likely;
		double samples = 0;

		for (int j = 0; j < ROWS; j++) {
			double weight = rows[j].weight_ms;
			double n = random_poisson(rows[j].share * ms / weight);
			struct sampled row = sampled_alike(n * weight, n);

			samples += n;
			all.ns += row.ns;
			all.squares += row.squares;
			if (j == which)
				part = row;
		}
		likely = is_weighted
				 ? confidence_part(part, all)
				 : confidence_share(part.ns / all.ns, samples);
		held += likely.low <= rows[which].share &&
			rows[which].share <= likely.high;
	}
	return (double)held / TRIALS;
}

static void check_coverage(const struct row *rows, double ms)
{
	for (int i = 0; i < ROWS; i++) {
		double hits = rows[i].share * ms / rows[i].weight_ms;
		double one = coverage_of_row(rows, i, ms, 1);

		/* Few hits still are whole numbers. */
		if (one < (hits < 3 ? 0.88 : 0.93) || one > 0.97)
			fail_msg("%.0f ms, %.2f of weight %.0f: %.4f", ms,
				 rows[i].share, rows[i].weight_ms, one);
	}
}

static void unequal_weights_have_the_intervals_that_they_promise(void **state)
{
	(void)state;
	random_state = 1;
	for (double ms = 500; ms < 10000; ms *= 4) {
		check_coverage(sampled_by_cpu, ms);
		check_coverage(sampled_by_wall, ms);
	}
	/*
	 * Samples of unequal time are less certain than their number suggests.
	 */
	assert_true(coverage_of_row(sampled_by_cpu, 3, 2000, 0) < 0.8);
	assert_true(coverage_of_row(sampled_by_wall, 5, 2000, 0) < 0.8);
}

static void equal_weights_make_no_difference(void **state)
{
	struct sampled all = sampled_alike(300, 100);
	struct share_interval some =
		confidence_part(sampled_alike(60, 20), all);
	struct share_interval same = confidence_share(0.2, 100);

	(void)state;
	assert_true(fabs(some.low - same.low) < 1e-6);
	assert_true(fabs(some.high - same.high) < 1e-6);
	some = confidence_part(sampled_alike(0, 0), all);
	same = confidence_share(0, 100);
	assert_true(some.low == 0 && fabs(some.high - same.high) < 1e-6);
	some = confidence_part(all, all);
	assert_true(some.high == 1 && fabs(some.low + same.high - 1) < 1e-6);
	some = confidence_part(sampled_alike(0, 0), sampled_alike(0, 0));
	assert_true(some.low == 0 && some.high == 1);
}

static void senseless_counts_end_quickly(void **state)
{
	(void)state;
	assert_bound(0, 0, 1);
	assert_bound(5, 5, 1);
	assert_bound(5, UINT64_MAX, 1);
	assert_true(confidence_upper_bound(UINT64_MAX, UINT64_MAX / 2) <= 1);
}

/*
 * Checks the chance of a split at least as uneven as this, with equal weights.
 */
static void assert_chance(double first, double second, double expected)
{
	double chance = confidence_chance(sampled_alike(first * 1e6, first),
					  sampled_alike(second * 1e6, second));

	if (fabs(chance - expected) > 1e-9)
		fail_msg("%g, %g: %.12g instead of %.12g", first, second,
			 chance, expected);
}

static void two_times_differ_by_chance_as_a_coin_does(void **state)
{
	(void)state;
	assert_chance(0, 0, 1);
	assert_chance(7, 7, 1);
	assert_chance(5, 0, 2.0 / 32);
	assert_chance(0, 5, 2.0 / 32);
	assert_chance(8, 2, 2.0 * (45 + 10 + 1) / 1024);
}

/* 10 samples of 4 ms and 40 samples of 1 ms have the same time. */
static void samples_of_unequal_weight_are_compared_by_time(void **state)
{
	(void)state;
	assert_true(confidence_chance(sampled_alike(40e6, 10),
				      sampled_alike(40e6, 40)) > 0.9);
	assert_true(confidence_chance(sampled_alike(40e6, 40),
				      sampled_alike(40e6, 40)) > 0.9);
	assert_true(confidence_chance(sampled_alike(160e6, 40),
				      sampled_alike(40e6, 40)) < 1e-4);
}

static double above(double first, double second, double ratio)
{
	return confidence_above_ratio(sampled_alike(first * 1e6, first),
				      sampled_alike(second * 1e6, second),
				      ratio);
}

static double below(double first, double second, double ratio)
{
	return confidence_below_ratio(sampled_alike(first * 1e6, first),
				      sampled_alike(second * 1e6, second),
				      ratio);
}

/*
 * With a ratio of 3, each sample belongs to the second time with a probability
 * of 3/4.
 */
static void ratios_are_judged_as_a_binomial_share(void **state)
{
	(void)state;
	assert_true(fabs(above(0, 2, 3) - 9.0 / 16) < 1e-9);
	assert_true(fabs(above(1, 1, 3) - 15.0 / 16) < 1e-9);
	assert_true(fabs(below(1, 1, 3) - 7.0 / 16) < 1e-9);
	assert_true(fabs(below(2, 0, 3) - 1.0 / 16) < 1e-9);
	assert_true(above(0, 0, 3) == 1 && below(0, 0, 3) == 1);
	assert_true(above(5, 1, 0) == 0 && above(5, 0, 0) == 1);
}

/* A normal deviation of 1.645 has a probability of 5 %. */
static void differences_have_the_error_of_both_times(void **state)
{
	const struct sampled first = sampled_alike(10000e6, 10000);
	const struct sampled second = sampled_alike(10000e6, 10000);
	const double off = 1.645 * sqrt(20001) * 1e6;

	(void)state;
	assert_true(fabs(confidence_above(first, second, 0) - 0.5) < 1e-9);
	assert_true(fabs(confidence_above(first, second, -off) - 0.05) < 1e-4);
	assert_true(fabs(confidence_below(first, second, off) - 0.05) < 1e-4);
	assert_true(confidence_above((struct sampled){ 0, 0 },
				     (struct sampled){ 0, 0 }, 1) == 1);
}

/* The example of Benjamini and Hochberg's article: four of 15. */
static void the_rate_of_false_discoveries_is_limited(void **state)
{
	double chances[] = { 0.4262, 0.0001, 0.0298, 0.0095, 0.5719,
			     0.0004, 0.0459, 0.6528, 0.0201, 1.0000,
			     0.0344, 0.0019, 0.7590, 0.0278, 0.3240 };
	double random[] = { 0.04, 0.3, 0.9 };

	(void)state;
	assert_true(confidence_limit(chances, 15) == 0.0095);
	assert_true(confidence_limit(random, 3) < 0);
	assert_true(confidence_limit(random, 0) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_mismatch_bounds_by_three_over_n),
		cmocka_unit_test(bounds_are_those_of_clopper_and_pearson),
		cmocka_unit_test(shares_have_an_interval),
		cmocka_unit_test(
			intervals_contain_the_share_as_often_as_stated),
		cmocka_unit_test(equal_weights_make_no_difference),
		cmocka_unit_test(
			unequal_weights_have_the_intervals_that_they_promise),
		cmocka_unit_test(senseless_counts_end_quickly),
		cmocka_unit_test(two_times_differ_by_chance_as_a_coin_does),
		cmocka_unit_test(
			samples_of_unequal_weight_are_compared_by_time),
		cmocka_unit_test(ratios_are_judged_as_a_binomial_share),
		cmocka_unit_test(differences_have_the_error_of_both_times),
		cmocka_unit_test(the_rate_of_false_discoveries_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
