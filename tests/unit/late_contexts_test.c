/* SPDX-License-Identifier: MIT */
/*
 * Tests of the bound for wrong contexts, of which early and late ones are
 * verified with different probabilities.
 */
#include "tests/unit/unit.h"

#include <math.h>

#include "report/model/confidence.h"
#include "report/model/verdicts.h"

#define PERIOD 65536 /* of verified calls; contexts are verified more often */

/*
 * Returns the bound for these numbers of verified and wrong contexts, early and
 * late.
 */
static double bound(uint64_t early, uint64_t early_wrong, uint64_t late,
		    uint64_t late_wrong)
{
	const struct wire_tally tally = {
		.firsts = { .verified = early + late - early_wrong - late_wrong,
			    .diverged = early_wrong + late_wrong },
		.late_decided = late,
		.late_wrong = late_wrong,
	};
	struct verdicts verdicts = { 0 };

	verdicts_add_firsts(&verdicts, &tally, PERIOD);
	verdicts_conclude(&verdicts);
	assert_int_equal(verdicts_decided(&verdicts), early + late);
	assert_int_equal(verdicts_wrong(&verdicts), early_wrong + late_wrong);
	return verdicts.wrong_at_most;
}

static void assert_near(double found, double expected)
{
	if (fabs(found - expected) > 1e-9)
		fail_msg("%.9g instead of %.9g", found, expected);
}

static void contexts_of_one_kind_all_count(void **state)
{
	(void)state;
	assert_near(bound(4000, 0, 0, 0), confidence_upper_bound(4000, 0));
	assert_near(bound(4000, 3, 0, 0), confidence_upper_bound(4000, 3));
	assert_near(bound(0, 0, 700, 2), confidence_upper_bound(700, 2));
	assert_near(bound(0, 0, 0, 0), 1);
}

/*
 * One of 16 early contexts is verified and one of 128 late ones, so 4,096 early
 * contexts weigh as much as 512 late ones.
 */
static void sparser_of_two_kinds_sets_the_bound(void **state)
{
	(void)state;
	assert_near(bound(4096, 0, 1000, 0), confidence_upper_bound(1512, 0));
	assert_near(bound(4096, 0, 1000, 1), confidence_upper_bound(1512, 1));
	assert_near(bound(4096, 1, 1000, 0), confidence_upper_bound(1512, 1));
	assert_near(bound(4096, 9, 1000, 1), confidence_upper_bound(1512, 3));
}

static double binomial(unsigned int n, unsigned int k, double p)
{
	if (p <= 0)
		return k == 0;
	return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
		   k * log(p) + (n - k) * log1p(-p));
}

/* Returns the probability that the bound holds, over all possible samples. */
static double coverage(unsigned int early, double early_share,
		       unsigned int late, double late_share)
{
	const double of_early = early * WIRE_EARLY_PERIOD;
	const double of_late = late * WIRE_LATE_PERIOD;
	const double share = (of_early * early_share + of_late * late_share) /
			     (of_early + of_late);
	double sum = 0;

	for (unsigned int i = 0; i <= early; i++) {
		const double some = binomial(early, i, early_share);

		for (unsigned int j = 0; j <= late && some > 1e-9; j++) {
			const double weight =
				some * binomial(late, j, late_share);

			if (weight > 1e-9 && bound(early, i, late, j) >= share)
				sum += weight;
		}
	}
	return sum;
}

static void the_bound_holds_for_any_order_of_wrong_contexts(void **state)
{
	static const double shares[] = { 0, 0.001, 0.01, 0.05, 0.2 };
	const size_t count = sizeof(shares) / sizeof(*shares);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			assert_true(coverage(400, shares[i], 60, shares[j]) >
				    0.9499);
}

static void senseless_counts_are_bounded(void **state)
{
	const struct wire_tally tally = {
		.firsts = { .verified = 3, .collisions = UINT64_MAX / 2 },
		.late_decided = UINT64_MAX,
		.late_wrong = UINT64_MAX,
	};
	struct verdicts verdicts = { 0 };

	(void)state;
	for (uint32_t period = 0; period < 20; period++)
		verdicts_add_firsts(&verdicts, &tally, period);
	verdicts_conclude(&verdicts);
	assert_true(verdicts.wrong_at_most >= 0 && verdicts.wrong_at_most <= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contexts_of_one_kind_all_count),
		cmocka_unit_test(sparser_of_two_kinds_sets_the_bound),
		cmocka_unit_test(
			the_bound_holds_for_any_order_of_wrong_contexts),
		cmocka_unit_test(senseless_counts_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
