/* SPDX-License-Identifier: MIT */
/*
 * Watches threads of a model, whose time in each state is known, by the model's
 * clock.
 *
 * A thread goes through a cycle of states. A run reads its state as the watch
 * does: each reading stands for the time that strata_take() returns, and the
 * next stratum is longer if the thread has not moved. Runs have seeds of their
 * own, so their errors are independent: the mean of N of them is off by more
 * than five times its standard error once in 1.7 million. The test checks that
 * sums have no bias, and how far a single one is off.
 */
#include "tests/unit/unit.h"

#include <math.h>

#include "preload/time/strata.h"

#define MS        UINT64_C(1000000)
#define PERIOD_NS UINT64_C(1003009) /* 997 polls a second */
#define STATES    3
#define SIGMAS    5
#define MAX_LEVEL 7

struct model {
	double lengths_ms[STATES]; /* 0 means that the state does not exist */
	double jitter; /* maximum deviation of each length, as a share */
	double duration_ms;
	uint32_t base_level;
	double late_ms;           /* maximum delay of a reading */
	double tolerated_percent; /* bias */
};

static uint64_t random_state;

static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static double random_share(void)
{
	return (double)(random_word() >> 11) / 9007199254740992.0;
}

/* The thread's current state, and the time at which it ends. */
struct walker {
	const struct model *model;
	unsigned int state;
	uint64_t
		visits; /* number of states so far; a different number is a different wait */
	double ends_ns;
};

static void next_state(struct walker *walker)
{
	const struct model *model = walker->model;
	double length;

	do
		walker->state = (walker->state + 1) % STATES;
	while (model->lengths_ms[walker->state] <= 0);
	length = model->lengths_ms[walker->state] *
		 (1 + model->jitter * (2 * random_share() - 1));
	walker->ends_ns += length * MS;
	walker->visits++;
}

/* Advances to a time and adds the time in each state to `truth`. */
static void walk_until(struct walker *walker, double *at_ns, double until_ns,
		       double *truth)
{
	while (walker->ends_ns <= until_ns) {
		truth[walker->state] += walker->ends_ns - *at_ns;
		*at_ns = walker->ends_ns;
		next_state(walker);
	}
	truth[walker->state] += until_ns - *at_ns;
	*at_ns = until_ns;
}

struct result {
	double truth[STATES], found[STATES]; /* nanoseconds */
	uint64_t looks;
};

static struct result run(const struct model *model, uint32_t number)
{
	const struct strata_clock clock = { .start_ns = 1000 * MS,
					    .period_ns = PERIOD_NS,
					    .seed = random_word(),
					    .groups_log2 = number % 4 };
	const double born_ns =
		(double)clock.start_ns + 300 * MS * random_share();
	const double end_ns = born_ns + model->duration_ms * MS;
	struct walker walker = { .model = model, .ends_ns = born_ns };
	double at_ns = born_ns;
	uint64_t past, seen = 0, seen_tick = 0;
	struct result result = { 0 };
	struct strata strata;
	uint32_t level;

	walker.state = (unsigned int)(random_word() % STATES);
	next_state(&walker);
	walker.ends_ns -= (walker.ends_ns - born_ns) * random_share();
	strata_begin(&strata, &clock, (uint64_t)born_ns, number,
		     model->base_level);
	for (;;) {
		double now = (double)strata_instant_ns(&clock, strata.due) +
			     model->late_ms * MS * random_share();

		if (now >= end_ns)
			break;
		past = strata_ticks_past(&clock, (uint64_t)now);
		walk_until(&walker, &at_ns, now, result.truth);
		if (walker.visits != seen) {
			seen = walker.visits;
			seen_tick = past;
		}
		result.found[walker.state] +=
			(double)(strata_take(&strata, &clock, past) *
				 PERIOD_NS);
		level = strata_level(past - seen_tick, MAX_LEVEL);
		if (level < model->base_level)
			level = model->base_level;
		strata_change(&strata, &clock, past, level ? 0 : number, level);
		result.looks++;
	}
	walk_until(&walker, &at_ns, end_ns, result.truth);
	return result;
}

/*
 * Checks that the mean error of each state over many runs is near 0, in percent
 * of all time.
 */
static void assert_unbiased(const struct model *model, int runs,
			    double worst_deviation)
{
	double sum[STATES] = { 0 }, squares[STATES] = { 0 };

	random_state = UINT64_C(88172645463325252);
	for (int i = 0; i < runs; i++) {
		struct result result = run(model, (uint32_t)i);

		for (int s = 0; s < STATES; s++) {
			double error = 100 *
				       (result.found[s] - result.truth[s]) /
				       (model->duration_ms * MS);

			sum[s] += error;
			squares[s] += error * error;
		}
	}
	for (int s = 0; s < STATES; s++) {
		double mean = sum[s] / runs;
		double deviation = sqrt(squares[s] / runs - mean * mean);

		if (fabs(mean) > SIGMAS * deviation / sqrt(runs) +
					 model->tolerated_percent + 1e-9 ||
		    deviation > worst_deviation)
			fail_msg("state %d: %.3f %% off on average (+-%.3f), "
				 "%.3f %% in one run",
				 s, mean, deviation / sqrt(runs), deviation);
	}
}

static void waits_of_any_length_have_their_share(void **state)
{
	static const double cycles_ms[] = { 1,   2,    5,     15,    50,
					    200, 1000, 10000, 60000, 180000 };

	(void)state;
	for (size_t i = 0; i < sizeof(cycles_ms) / sizeof(*cycles_ms); i++) {
		double cycle = cycles_ms[i];
		double duration = cycle * 10 > 5000 ? cycle * 10 : 5000;

		assert_unbiased(
			&(struct model){ .lengths_ms = { .7 * cycle, .2 * cycle,
							 .1 * cycle },
					 .duration_ms = duration },
			cycle < 1000 ? 2000 : 400, 0.8);
	}
}

static void regular_cycles_are_sampled_without_bias(void **state)
{
	(void)state;
	/*
	 * The cycle has the length of the polling period, or a multiple of it.
	 */
	for (int i = 1; i <= 16; i *= 2) {
		double cycle = i * (double)PERIOD_NS / MS;

		assert_unbiased(&(struct model){ .lengths_ms = { .7 * cycle,
								 .3 * cycle },
						 .duration_ms = 5000 },
				2000, 0.8);
	}
}

static void short_waits_after_long_ones_are_seen(void **state)
{
	(void)state;
	assert_unbiased(&(struct model){ .lengths_ms = { 990, 10 },
					 .duration_ms = 20000 },
			4000, 0.5);
	assert_unbiased(&(struct model){ .lengths_ms = { 9000, 5, 1 },
					 .jitter = 0.5,
					 .duration_ms = 60000 },
			4000, 0.5);
}

static void threads_that_end_soon_count_on_average(void **state)
{
	(void)state;
	for (int ms = 1; ms <= 30; ms += 7)
		assert_unbiased(&(struct model){ .lengths_ms = { 3, 1 },
						 .jitter = 1,
						 .duration_ms = ms },
				40000, 100);
}

static void fewer_polls_are_only_less_precise(void **state)
{
	(void)state;
	for (uint32_t level = 1; level <= 8; level++)
		assert_unbiased(&(struct model){ .lengths_ms = { 70, 20, 10 },
						 .jitter = 0.3,
						 .base_level = level,
						 .duration_ms = 5000 },
				2000, 11);
}

/* The poll sees begin and end of a wait late, and later with longer strata. */
static void late_polls_have_hardly_any_bias(void **state)
{
	(void)state;
	assert_unbiased(&(struct model){ .lengths_ms = { 14, 4, 2 },
					 .jitter = 0.2,
					 .late_ms = 12,
					 .tolerated_percent = 0.2,
					 .duration_ms = 20000 },
			2000, 1.5);
	assert_unbiased(&(struct model){ .lengths_ms = { 500, 150, 30 },
					 .jitter = 0.2,
					 .late_ms = 12,
					 .tolerated_percent = 0.2,
					 .duration_ms = 20000 },
			2000, 1.5);
}

static void a_waiting_thread_is_observed_seldom(void **state)
{
	struct result result;

	(void)state;
	random_state = 1;
	result = run(&(struct model){ .lengths_ms = { 60000, 60000 },
				      .duration_ms = 60000 },
		     0);
	assert_true(result.looks < 1500);
	assert_true(result.looks > 400);
}

static void all_time_is_accounted_for(void **state)
{
	const struct strata_clock clock = { .period_ns = PERIOD_NS, .seed = 7 };
	struct strata strata;
	uint64_t sum = 0, past = 0;

	(void)state;
	random_state = 99;
	strata_begin(&strata, &clock, 0, 3, 5);
	sum = strata.begin;
	for (int i = 0; i < 100000; i++) {
		past += 1 + random_word() % 300;
		sum += strata_take(&strata, &clock, past);
		assert_int_equal(sum, strata.begin);
		strata_change(
			&strata, &clock, past, (uint32_t)i,
			(uint32_t)(random_word() % (STRATA_LEVEL_MAX + 1)));
		assert_int_equal(sum, strata.begin);
		assert_true(strata.due >= past);
		assert_true(strata.due >= strata.begin);
		assert_true(strata.due < strata.end);
		assert_int_equal(strata.begin % (strata.end - strata.begin), 0);
	}
}

/*
 * All threads of a group and stratum are polled at one instant, however many
 * they are.
 */
static void threads_are_polled_together(void **state)
{
	struct strata_clock clock = { .period_ns = PERIOD_NS, .seed = 5 };

	(void)state;
	for (; clock.groups_log2 < 6; clock.groups_log2++) {
		uint64_t seen = 0;

		for (uint32_t number = 0; number < 1000; number++) {
			struct strata strata;

			strata_begin(&strata, &clock, 0, number, 6);
			seen |= UINT64_C(1) << strata.due % 64;
		}
		assert_int_equal(__builtin_popcountll(seen),
				 1 << clock.groups_log2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_of_any_length_have_their_share),
		cmocka_unit_test(regular_cycles_are_sampled_without_bias),
		cmocka_unit_test(short_waits_after_long_ones_are_seen),
		cmocka_unit_test(threads_that_end_soon_count_on_average),
		cmocka_unit_test(fewer_polls_are_only_less_precise),
		cmocka_unit_test(late_polls_have_hardly_any_bias),
		cmocka_unit_test(a_waiting_thread_is_observed_seldom),
		cmocka_unit_test(all_time_is_accounted_for),
		cmocka_unit_test(threads_are_polled_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
