/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include "preload/budget/budget_missed.h"

#define S_NS  UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)

struct out {
	struct wire_left_out record;
	struct budget_missed missed;
};

/*
 * Leaves the function out after 1,000 calls in 10 ms of the program's own time,
 * which are 100,000 a second.
 */
static void leave_out(struct out *out, uint64_t wall_ns)
{
	const struct budget_rate rate = { .calls = 1000, .cpu_ns = 10 * MS_NS };

	budget_missed_begin(&out->record, &out->missed, &rate, wall_ns);
}

static void leave_out_again(struct out *out, uint64_t wall_ns)
{
	const struct budget_rate rate = { .calls = 1000,
					  .cpu_ns = 10 * MS_NS,
					  .is_fair = 1 };

	budget_missed_begin(&out->record, &out->missed, &rate, wall_ns);
}

/* Counts calls in a survey of 20 ms. */
static void come_back(struct out *out, uint64_t calls, int is_sure)
{
	const struct budget_rate rate = { .calls = calls,
					  .cpu_ns = 20 * MS_NS,
					  .is_sure = is_sure };

	budget_missed_correct(&out->record, &out->missed, &rate);
}

static void missed_calls_are_proportional_to_cpu_time(void **state)
{
	struct out out = { 0 };

	(void)state;
	leave_out(&out, S_NS);
	assert_int_equal(out.record.times, 1);
	assert_int_equal(out.record.since_ns, S_NS);
	assert_int_equal(out.record.per_s, 100000);
	assert_int_equal(out.record.missed, 0);
	budget_missed_go_on(&out.record, &out.missed, 500 * MS_NS);
	assert_int_equal(out.record.missed, 50000);
	budget_missed_go_on(&out.record, &out.missed, 250 * MS_NS);
	assert_int_equal(out.record.missed, 75000);
	/*
	 * An hour of wall-clock time has passed, most of it without CPU time.
	 */
	budget_missed_end(&out.record, 3601 * S_NS);
	assert_int_equal(out.record.missed, 75000);
	assert_int_equal(out.record.out_ns, 3600 * S_NS);
	assert_int_equal(out.record.since_ns, 0);
	budget_missed_end(&out.record, 3602 * S_NS);
	assert_int_equal(out.record.out_ns, 3600 * S_NS);
}

static void short_surveys_lose_no_calls(void **state)
{
	struct out out = { 0 };

	(void)state;
	leave_out(&out, S_NS);
	for (int i = 0; i < 100000; i++) /* half a call each */
		budget_missed_go_on(&out.record, &out.missed, 5000);
	assert_in_range(out.record.missed, 49999, 50000);
}

static void a_survey_corrects_earlier_estimates(void **state)
{
	struct out out = { 0 };

	(void)state;
	leave_out(&out, S_NS);
	budget_missed_go_on(&out.record, &out.missed, S_NS);
	budget_missed_end(&out.record, 2 * S_NS);
	/*
	 * The survey has 20,000 calls a second: the first estimate was from a
	 * moment with many calls.
	 */
	come_back(&out, 400, 1);
	assert_in_range(out.record.missed, 19999, 20000);
	/* the estimate is corrected once */
	come_back(&out, 0, 1);
	assert_in_range(out.record.missed, 19999, 20000);

	leave_out_again(&out, 3 * S_NS);
	assert_int_equal(out.record.times, 2);
	budget_missed_go_on(&out.record, &out.missed, S_NS);
	assert_in_range(out.record.missed, 119999, 120000);
	budget_missed_end(&out.record, 4 * S_NS);
	/* 300,000 a second now, so 200,000 on average */
	come_back(&out, 6000, 1);
	assert_in_range(out.record.missed, 219999, 220000);
	assert_int_equal(out.record.out_ns, 2 * S_NS);
}

/*
 * The calls of a survey are exact for its time, even if clew's share of the
 * time is estimated.
 */
static void an_unsure_survey_is_scaled_later(void **state)
{
	struct out out = { 0 };

	(void)state;
	leave_out(&out, S_NS);
	budget_missed_go_on(&out.record, &out.missed, S_NS);
	budget_missed_end(&out.record, 2 * S_NS);
	come_back(&out, 8000, 0);
	assert_in_range(out.record.missed, 399999, 400000);
	leave_out_again(&out, 2 * S_NS);
	budget_missed_go_on(&out.record, &out.missed, S_NS);
	budget_missed_end(&out.record, 3 * S_NS);
	/* 50,000 a second now, so 75,000 on average in this second */
	come_back(&out, 1000, 1);
	assert_in_range(out.record.missed, 474999, 475000);
	/* The program used twice the estimated time. */
	budget_missed_settle(&out.record, &out.missed, .5);
	assert_in_range(out.record.missed, 274998, 275000);
	/* The correction applies once. */
	budget_missed_settle(&out.record, &out.missed, .5);
	assert_in_range(out.record.missed, 274998, 275000);
}

/* A function that is hooked without a survey and unhooked again. */
static void periods_without_a_survey_add_up(void **state)
{
	struct out out = { 0 };

	(void)state;
	leave_out(&out, S_NS);
	budget_missed_go_on(&out.record, &out.missed, S_NS);
	budget_missed_end(&out.record, 2 * S_NS);
	leave_out(&out, 3 * S_NS);
	assert_int_equal(out.record.missed, 100000);
	budget_missed_go_on(&out.record, &out.missed, S_NS);
	assert_int_equal(out.record.missed, 200000);
}

static void no_estimate_is_made_without_time(void **state)
{
	const struct budget_rate nothing = { .is_sure = 1 };
	struct out out = { 0 };

	(void)state;
	budget_missed_begin(&out.record, &out.missed,
			    &(struct budget_rate){ .calls = 1000 }, S_NS);
	assert_int_equal(out.record.per_s, 0);
	leave_out(&out, S_NS);
	budget_missed_go_on(&out.record, &out.missed, S_NS);
	budget_missed_end(&out.record, 2 * S_NS);
	budget_missed_correct(&out.record, &out.missed, &nothing);
	assert_int_equal(out.record.missed, 100000);
}

/*
 * A function that is left out misses calls until the end time, which is in the
 * header.
 */
static void functions_left_out_miss_calls_until_the_end(void **state)
{
	struct out out = { 0 };

	(void)state;
	leave_out(&out, S_NS);
	budget_missed_go_on(&out.record, &out.missed, S_NS);
	assert_int_equal(wire_missed(&out.record, 0), 100000);
	assert_int_equal(wire_missed(&out.record, S_NS / 2), 150000);
	budget_missed_end(&out.record, 2 * S_NS);
	assert_int_equal(wire_missed(&out.record, S_NS / 2), 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missed_calls_are_proportional_to_cpu_time),
		cmocka_unit_test(short_surveys_lose_no_calls),
		cmocka_unit_test(a_survey_corrects_earlier_estimates),
		cmocka_unit_test(an_unsure_survey_is_scaled_later),
		cmocka_unit_test(periods_without_a_survey_add_up),
		cmocka_unit_test(no_estimate_is_made_without_time),
		cmocka_unit_test(functions_left_out_miss_calls_until_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
