/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include "preload/budget/budget_surveys.h"

#define MS 1e6
#define S  1e9

/*
 * Returns the time to the next survey for a budget of 5 %, if a survey costs 5
 * ms.
 */
static double wait_ns(void)
{
	return budget_surveys_wait_ns(50, 5 * MS);
}

/* Returns the surveys in a run, the first of which is planned at age_ns. */
static int count_surveys(double age_ns, double run_ns)
{
	int count = 0;

	for (;;) {
		age_ns += budget_surveys_early_ns(wait_ns(), age_ns);
		if (age_ns > run_ns)
			return count;
		count++;
	}
}

static void surveys_use_a_tenth_of_the_budget(void **state)
{
	(void)state;
	/* 5 ms of clew's time are a tenth of 5 % of one second. */
	assert_int_equal((int)(wait_ns() / MS), 1000);
	assert_int_equal((int)(budget_surveys_wait_ns(50, 20 * MS) / MS), 4000);
	assert_int_equal((int)(budget_surveys_wait_ns(100, 20 * MS) / MS),
			 2000);
}

static void surveys_are_a_second_to_a_minute_apart(void **state)
{
	(void)state;
	assert_int_equal((int)(budget_surveys_wait_ns(50, 0) / S), 1);
	assert_int_equal((int)(budget_surveys_wait_ns(1, 20 * MS) / S), 60);
}

static void surveys_of_a_young_process_follow_after_half_of_its_age(
	void **state)
{
	(void)state;
	assert_int_equal(
		(int)(budget_surveys_early_ns(wait_ns(), 600 * MS) / MS), 300);
	/* half of the budget: at least a fifth of the usual time */
	assert_int_equal((int)(budget_surveys_early_ns(S, 10 * MS) / MS), 200);
	assert_int_equal((int)(budget_surveys_early_ns(60 * S, 10 * MS) / S),
			 12);
	/* an old process */
	assert_int_equal((int)(budget_surveys_early_ns(wait_ns(), 60 * S) / MS),
			 1000);
}

static void a_run_of_half_a_second_has_one_to_three_surveys(void **state)
{
	(void)state;
	assert_in_range(count_surveys(20 * MS, 500 * MS), 1, 3);
	assert_in_range(count_surveys(60 * MS, 500 * MS), 1, 3);
	assert_in_range(count_surveys(20 * MS, 1200 * MS), 3, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(surveys_use_a_tenth_of_the_budget),
		cmocka_unit_test(surveys_are_a_second_to_a_minute_apart),
		cmocka_unit_test(
			surveys_of_a_young_process_follow_after_half_of_its_age),
		cmocka_unit_test(
			a_run_of_half_a_second_has_one_to_three_surveys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
