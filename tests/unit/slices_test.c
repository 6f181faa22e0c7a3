/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/sys/slices.c, which divides long work into slices that any
 * thread can run.
 */
#include "tests/unit/unit.h"

#include <pthread.h>

#include "preload/sys/slices.h"

#define STEPS     1000
#define FOR_EVER  UINT64_C(1000000000000)
#define PATTERN   UINT64_C(0x5a5a5a5a5a5a5a5a)
#define FRAME_MAX 64

struct counting {
	uint64_t done;
	uint64_t sum;
};

/* Checks that the function's stack and registers survive each rest. */
static uint64_t go_down(struct counting *counting, unsigned int depth)
{
	volatile uint64_t kept[8];
	uint64_t below = 0;

	for (unsigned int i = 0; i < 8; i++)
		kept[i] = PATTERN + depth + i;
	slices_rest();
	if (depth)
		below = go_down(counting, depth - 1);
	slices_rest();
	for (unsigned int i = 0; i < 8; i++)
		if (kept[i] != PATTERN + depth + i)
			return 0;
	return depth && !below ? 0 : 1;
}

static void count(void *context)
{
	struct counting *counting = context;

	for (uint64_t i = 1; i <= STEPS; i++) {
		counting->sum += i * go_down(counting, i % FRAME_MAX);
		counting->done = i;
	}
}

static void is_counted(const struct counting *counting)
{
	assert_int_equal(counting->done, STEPS);
	assert_int_equal(counting->sum, STEPS * (STEPS + 1) / 2);
	assert_false(slices_are_left());
}

static void work_with_enough_time_does_not_rest(void **state)
{
	struct counting counting = { 0 };

	assert_int_equal(slices_begin(count, &counting), 0);
	assert_int_equal(counting.done, 0);
	assert_true(slices_are_left());
	assert_int_equal(slices_go_on(FOR_EVER), 1);
	is_counted(&counting);
}

static void work_without_time_stops_at_each_rest(void **state)
{
	struct counting counting = { 0 };
	uint64_t slices = 1;

	assert_int_equal(slices_begin(count, &counting), 0);
	while (!slices_go_on(0)) {
		assert_true(slices_are_left());
		slices++;
	}
	is_counted(&counting);
	assert_true(slices > 2 * STEPS);
}

static void *go_on_once(void *has_ended)
{
	*(int *)has_ended = slices_go_on(0);
	return NULL;
}

static void each_slice_may_be_another_threads(void **state)
{
	struct counting counting = { 0 };
	int has_ended = 0;

	assert_int_equal(slices_begin(count, &counting), 0);
	while (!has_ended) {
		pthread_t thread;

		assert_int_equal(
			pthread_create(&thread, NULL, go_on_once, &has_ended),
			0);
		pthread_join(thread, NULL);
		if (counting.done > 20)
			has_ended = slices_go_on(FOR_EVER);
	}
	is_counted(&counting);
}

static void rest_outside_of_work_does_nothing(void **state)
{
	struct counting counting = { 0 };

	slices_rest();
	assert_int_equal(slices_begin(count, &counting), 0);
	assert_int_equal(slices_go_on(0), 0);
	slices_rest();
	assert_int_equal(slices_go_on(FOR_EVER), 1);
	is_counted(&counting);
	slices_rest();
}

static void forgotten_work_makes_room(void **state)
{
	struct counting former = { 0 }, counting = { 0 };

	assert_int_equal(slices_begin(count, &former), 0);
	assert_int_equal(slices_go_on(0), 0);
	slices_forget();
	assert_false(slices_are_left());
	assert_int_equal(slices_begin(count, &counting), 0);
	assert_int_equal(slices_go_on(FOR_EVER), 1);
	is_counted(&counting);
	assert_true(former.done < STEPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_with_enough_time_does_not_rest),
		cmocka_unit_test(work_without_time_stops_at_each_rest),
		cmocka_unit_test(each_slice_may_be_another_threads),
		cmocka_unit_test(rest_outside_of_work_does_nothing),
		cmocka_unit_test(forgotten_work_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
