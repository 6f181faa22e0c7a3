/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include "preload/budget/budget_pace.h"

#define MS_NS UINT64_C(1000000)

enum { STEP, LEAF, SLOTS };

struct program {
	struct budget_function slots[SLOTS];
	struct budget_functions functions;
	struct budget_pace pace;
};

/*
 * Initializes a program with a measured loop of 1 ns a call, and a leaf that is
 * left out between surveys.
 */
static void begin(struct program *program)
{
	*program = (struct program){ .pace = { .measured_ps = 1000 } };
	program->functions = (struct budget_functions){
		.slots = program->slots,
		.room = SLOTS,
	};
	program->slots[STEP].was_in = 1;
}

/*
 * Ends an interval with own_ms of the program's own time. In each ms the
 * program calls 1,000 steps of 100 leaves each; leaves are counted only in a
 * survey.
 */
static void go_on(struct program *program, int is_survey, uint64_t own_ms,
		  uint64_t cpu_ms)
{
	program->slots[LEAF].was_in = (uint8_t)is_survey;
	program->slots[STEP].new_calls = own_ms * 1000;
	program->slots[LEAF].new_calls = is_survey ? own_ms * 100000 : 0;
	budget_pace_go_on(&program->pace, &program->functions, is_survey,
			  cpu_ms * MS_NS);
}

static double call_ps(const struct program *program)
{
	return budget_pace_call_ps(&program->pace, &program->functions);
}

static void first_cost_is_that_of_the_measured_loop(void **state)
{
	struct program program;

	(void)state;
	begin(&program);
	assert_int_equal((int)call_ps(&program), 1000);
	go_on(&program, 0, 1000, 1000);
	assert_int_equal((int)call_ps(&program), 1000);
}

/* clew takes 3 of 5 ms: 200,000 leaves and 2,000 steps cost 15 ns each. */
static void surveys_outweigh_the_loop(void **state)
{
	struct program program;
	double before_ps = 1000;

	(void)state;
	begin(&program);
	for (int i = 0; i < 200; i++) {
		double now_ps;

		go_on(&program, 0, 1000, 1000);
		go_on(&program, 1, 2, 5);
		now_ps = call_ps(&program);
		assert_true(now_ps >= before_ps);
		before_ps = now_ps;
	}
	assert_in_range((int)before_ps, 13000, 3000 * 1000 / 202);
	for (int i = 0; i < 20000; i++) {
		go_on(&program, 0, 1000, 1000);
		go_on(&program, 1, 2, 5);
	}
	assert_in_range((int)call_ps(&program), 14500, 3000 * 1000 / 202);
}

/* A stub that runs while its function waits for memory costs nothing. */
static void hidden_cost_is_not_subtracted(void **state)
{
	struct program program;
	const double calls = 5 * 101000;

	(void)state;
	begin(&program);
	program.pace.measured_ps = 100 * 1000; /* ten times the true cost */
	go_on(&program, 0, 1000, 1000);
	go_on(&program, 1, 5, 5);
	assert_true(call_ps(&program) * calls < 0.25 * 5e9);
}

/*
 * No function stays hooked. clew uses at most half of the time, whatever the
 * loop has measured.
 */
static void loop_is_unhooked_without_a_reference_function(void **state)
{
	struct program program;

	(void)state;
	begin(&program);
	program.pace.measured_ps = 100 * 1000;
	program.slots[STEP].was_in = 0;
	go_on(&program, 1, 5, 5);
	assert_true(call_ps(&program) * 5 * 101000 <= 0.5 * 5e9 + 1);
}

/*
 * The program was slower between the surveys, for example on another processor.
 */
static void costs_of_calls_are_never_negative(void **state)
{
	struct program program;

	(void)state;
	begin(&program);
	go_on(&program, 0, 1000, 3000);
	for (int i = 0; i < 10; i++)
		go_on(&program, 1, 4, 5);
	assert_true(call_ps(&program) > 0);
	assert_true(call_ps(&program) < 1000);
}

/*
 * A function that was unhooked between surveys was counted in no interval
 * without the leaf.
 */
static void unhooked_function_is_no_reference(void **state)
{
	struct program program;

	(void)state;
	begin(&program);
	program.slots[STEP].was_in = 0;
	go_on(&program, 0, 1000, 1000);
	program.slots[STEP].was_in = 1;
	go_on(&program, 1, 2, 5);
	assert_int_equal((int)call_ps(&program), 1000);
}

/* A function that stays hooked becomes a reference. */
static void function_hooked_again_is_a_reference(void **state)
{
	struct program program;

	(void)state;
	begin(&program);
	program.slots[STEP].was_in = 0;
	go_on(&program, 0, 1000, 1000);
	program.slots[STEP].was_in = 1;
	go_on(&program, 0, 1000, 1000);
	go_on(&program, 1, 2, 5);
	assert_true(call_ps(&program) > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_cost_is_that_of_the_measured_loop),
		cmocka_unit_test(surveys_outweigh_the_loop),
		cmocka_unit_test(costs_of_calls_are_never_negative),
		cmocka_unit_test(hidden_cost_is_not_subtracted),
		cmocka_unit_test(loop_is_unhooked_without_a_reference_function),
		cmocka_unit_test(unhooked_function_is_no_reference),
		cmocka_unit_test(function_hooked_again_is_a_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
