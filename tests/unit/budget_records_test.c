/* SPDX-License-Identifier: MIT */
/* Tests of preload/budget/budget_records.c in a part without a file. */
#include "tests/unit/unit.h"

#include "preload/budget/budget_records.h"
#include "preload/hot/runtime.h"
#include "preload/record/recorder.h"
#include "tests/unit/empty_part.h"

#define S_NS UINT64_C(1000000000)

static struct budget_function slot;
static const struct budget_functions functions = { .slots = &slot, .room = 1 };

struct budget_function *budget_functions_find(
	const struct budget_functions *all, uint32_t function)
{
	return all->slots->function == function ? all->slots : NULL;
}

/* Also called for the next recording of the same process. */
static int begin_recording(void **state)
{
	(void)state;
	budget_records_forget();
	slot.function = 1;
	slot.record = NULL;
	return empty_part_begin(1000000);
}

static int end_recording(void **state)
{
	(void)state;
	empty_part_end();
	slot = (struct budget_function){ 0 };
	return 0;
}

/* Unhooks the function for a second after 1,000 calls a second. */
static void miss_calls(void)
{
	const struct budget_rate rate = { .calls = 1000, .cpu_ns = S_NS };

	assert_int_equal(budget_records_out(&slot, &rate, S_NS), 0);
	slot.is_out = 1;
	budget_records_go_on(&functions, S_NS);
}

/* Ends with a survey in which the function is called 1,000 times a second. */
static void survey(int is_sure)
{
	slot.is_out = 0;
	slot.new_calls = 1000;
	budget_records_in(&functions);
	budget_records_correct(&functions, S_NS, is_sure);
}

static void a_recording_has_no_calls_of_the_former_one(void **state)
{
	for (int is_sure = 0; is_sure < 2; is_sure++) {
		miss_calls();
		survey(is_sure);
		assert_int_equal(slot.record->missed, 1000);
		empty_part_end();
		assert_int_equal(begin_recording(state), 0);
	}
	miss_calls();
	assert_int_equal(slot.record->missed, 1000);
}

static void a_child_goes_on_from_its_parents_records(void **state)
{
	(void)state;
	miss_calls();
	survey(0);
	miss_calls();
	assert_int_equal(slot.record->missed, 2000);
	slot.record = NULL;
	budget_records_take_up((struct budget_functions *)&functions);
	assert_non_null(slot.record);
	budget_records_go_on(&functions, S_NS);
	assert_int_equal(slot.record->missed, 3000);
	/* The factor of the child's surveys does not hold for the parent's. */
	budget_records_settle(&functions, .5);
	assert_int_equal(slot.record->missed, 3000);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, begin_recording, end_recording)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_recording_has_no_calls_of_the_former_one),
		TEST(a_child_goes_on_from_its_parents_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
