/* SPDX-License-Identifier: MIT */
/* Tests the distribution of the countdowns to the next verified call. */
#include <math.h>
#include <string.h>

#include "tests/unit/unit.h"

#include "preload/hot/record.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "wire/counts.h"

enum { DRAWS = 30000000, CLASSES = 30, PER_PERIOD = 5 };

/*
 * Requires that the countdowns are geometric: a countdown is n with probability
 * p (1 - p)^n, p = 1 / period. Compares how many fall below some limits, and the
 * mean. The limits are five standard deviations, and the error of the computed
 * logarithm.
 */
static void require_geometric(uint32_t period)
{
	static uint64_t drawn[CLASSES + 1];
	const double p = 1.0 / period, mean = (1 - p) / p;
	double sum = 0, below = 0;

	memset(drawn, 0, sizeof(drawn));
	rt.verify_period = period;
	hot.random = UINT64_C(0x123456789abcdef);
	for (int i = 0; i < DRAWS; i++) {
		const uint64_t calls =
			record_draw_countdown() >> WIRE_VERIFY_SHIFT;
		const uint64_t class = calls * PER_PERIOD / period;

		sum += (double)calls;
		drawn[class < CLASSES ? class : CLASSES]++;
	}
	assert_true(fabs(sum / DRAWS - mean) <
		    5 * period / sqrt(DRAWS) + 1e-4 * mean);
	for (int c = 0; c < CLASSES; c++) {
		const double limit = ceil((c + 1.0) * period / PER_PERIOD);
		const double expected = 1 - pow(1 - p, limit);
		const double deviation =
			sqrt(expected * (1 - expected) / DRAWS);

		below += (double)drawn[c] / DRAWS;
		assert_true(fabs(below - expected) < 5 * deviation + 1e-4);
	}
}

static void countdowns_are_geometric(void **state)
{
	(void)state;
	/* with shorter periods the power series of `scale` is less exact */
	require_geometric(7);
	require_geometric(100);
	require_geometric(4096);
}

/* With a period of 1, each call is verified. */
static void a_period_of_one_leaves_no_call_out(void **state)
{
	(void)state;
	rt.verify_period = 1;
	hot.random = 1;
	for (int i = 0; i < 100; i++)
		assert_int_equal(record_draw_countdown(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(countdowns_are_geometric),
		cmocka_unit_test(a_period_of_one_leaves_no_call_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
