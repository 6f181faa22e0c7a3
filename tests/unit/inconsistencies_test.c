/* SPDX-License-Identifier: MIT */
/* Tests of impossible records and the problems that are reported for them. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/made.h"
#include "wire/id.h"

static const struct whose everybody;

static void consistent_recordings_have_no_problem(void **state)
{
	struct fixture fixture;
	uint64_t id = ID_ROOT;

	made_begin(&fixture, 100);
	fixture_tally(&fixture, 1, 70000, 17);
	for (uint32_t i = 0; i < 66000; i++)
		id = fixture_context(&fixture, 1, id, 1 + i % 8, 0);
	fixture_context(&fixture, 0, id, WIRE_FOLDED, 1);
	made_assert_problem(*state, &fixture, WIRE_ENDED, NULL);
	fixture_fini(&fixture);
}

static void a_function_of_no_module_is_a_problem(void **state)
{
	struct fixture fixture;

	made_begin(&fixture, 100);
	fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 0, ID_ROOT, 9, 1);
	made_assert_problem(
		*state, &fixture, WIRE_ENDED,
		"of 2 contexts, some are impossible: 1 with a function in no "
		"module");
	/* its record may not be written yet */
	made_assert_problem(*state, &fixture, WIRE_RUNNING, NULL);
	fixture_fini(&fixture);
}

/*
 * Names for a module's number, for a number outside all ranges, and for an
 * entire range.
 */
static void a_name_of_a_nameless_function_is_rejected(void **state)
{
	struct fixture fixture;

	made_begin(&fixture, 100);
	fixture_range(&fixture, WIRE_RANGE_JAVA, 4096, 10);
	FIXTURE_NAME(&fixture, 2, "another");
	FIXTURE_NAME(&fixture, 5000, "lost");
	FIXTURE_NAME(&fixture, 0, "nobody");
	FIXTURE_NAME(&fixture, WIRE_FOLDED, "folded");
	fixture_context(&fixture, 0, ID_ROOT, 2, 1);
	fixture_context(&fixture, 0, ID_ROOT, 4097, 1);
	fixture_context(&fixture, 0, ID_ROOT, 5000, 1);
	made_assert_problem(
		*state, &fixture, WIRE_ENDED,
		"of 3 contexts, some are impossible: 2 with a function in no "
		"module");
	fixture_fini(&fixture);
}

/*
 * An empty stack, one that is shorter than its count, and one that contains
 * itself, another stack and unnamed numbers.
 */
static void malformed_java_stacks_are_harmless(void **state)
{
	static const uint32_t bad[] = { 8194, 8193, WIRE_STACK_CUT, 0, 5000 };
	const struct wire_stack cut = {
		.head = { .number = 8193, .bytes = sizeof(cut) },
		.count = 1,
	};
	struct fixture fixture;

	made_begin(&fixture, 100);
	fixture_range(&fixture, WIRE_RANGE_JAVA_STACK, 8192, 4096);
	fixture_stack(&fixture, 8192, NULL, NULL, 0);
	fixture_raw(&fixture, WIRE_STACKS, &cut, sizeof(cut));
	fixture_stack(&fixture, 8194, bad, NULL, 5);
	for (uint32_t i = 8192; i <= 8194; i++)
		fixture_context(&fixture, 0, ID_ROOT, i, 1);
	made_assert_problem(
		*state, &fixture, WIRE_ENDED,
		"of 3 contexts, some are impossible: 3 with a function in no "
		"module");
	fixture_fini(&fixture);
}

static void a_caller_that_is_missing_is_a_problem(void **state)
{
	struct fixture fixture;
	uint64_t id;

	made_begin(&fixture, 100);
	id = fixture_context(&fixture, 0, 0x1234567, 1, 1);
	fixture_context(&fixture, 0, id, 2, 1);
	made_assert_problem(*state, &fixture, WIRE_ENDED,
			    ": 1 without a caller");
	made_assert_problem(*state, &fixture, WIRE_RUNNING, NULL);
	fixture_fini(&fixture);
}

static void a_depth_that_is_not_the_caller_s_is_a_problem(void **state)
{
	struct fixture fixture;
	uint64_t id;

	made_begin(&fixture, 100);
	id = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 0, id, 2, 1);
	fixture_last_context(&fixture, 0)->depth++;
	made_assert_problem(*state, &fixture, WIRE_ENDED,
			    ": 1 at a depth other");
	made_assert_problem(*state, &fixture, WIRE_RUNNING,
			    ": 1 at a depth other");
	fixture_last_context(&fixture, 0)->depth = 0;
	made_assert_problem(*state, &fixture, WIRE_ENDED,
			    ": 1 at a depth other");
	fixture_fini(&fixture);
}

static void a_circle_is_a_problem(void **state)
{
	struct fixture fixture;

	made_begin(&fixture, 100);
	fixture_context(&fixture, 0, CIRCLE, CIRCLE_FUNCTION, 11);
	made_assert_problem(*state, &fixture, WIRE_RUNNING,
			    ": 1 in a cycle of callers");
	fixture_fini(&fixture);
}

static void a_problem_is_reported_once(void **state)
{
	const struct whose each = { .grouping = GROUP_THREAD };
	struct made_world *world = *state;
	struct fixture fixture;
	uint64_t id;

	made_begin(&fixture, 100);
	fixture_tally(&fixture, 1, 0, 0);
	fixture_thread(&fixture, 101, "other", 1);
	for (uint32_t i = 0; i < 2; i++) {
		id = fixture_context(&fixture, i, ID_ROOT, 1, 1);
		fixture_context(&fixture, i, id, 2, 1);
		fixture_last_context(&fixture, i)->depth++;
	}
	made_end(world, &fixture);
	made_read(world, &each);
	merge_recording(&world->session.recording, &everybody,
			&world->session.catalog, &world->session.tree,
			&world->session.timeline, &(struct merged){ 0 });
	assert_int_equal(world->session.recording.problem_count, 1);
	assert_non_null(strstr(world->session.recording.problems[0],
			       ": 1 at a depth other"));
	session_close(&world->session);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, made_set_up, made_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(consistent_recordings_have_no_problem),
		TEST(a_function_of_no_module_is_a_problem),
		TEST(a_name_of_a_nameless_function_is_rejected),
		TEST(malformed_java_stacks_are_harmless),
		TEST(a_caller_that_is_missing_is_a_problem),
		TEST(a_depth_that_is_not_the_caller_s_is_a_problem),
		TEST(a_circle_is_a_problem),
		TEST(a_problem_is_reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
