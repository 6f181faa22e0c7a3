/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/hot/foresight.h, which predicts the next call from earlier
 * calls.
 */
#include "tests/unit/unit.h"

#include "preload/hot/foresight.h"
#include "tests/unit/empty_tally.h"

/* Functions. */
enum { A = 0x1001, B, C, D };

/* Adds a context to the recent ones, as recording it does. Returns its id. */
static uint64_t record(uint64_t caller, uint32_t caller_function,
		       uint32_t function)
{
	const uint64_t id = id_push(caller, id_key(function));

	foresight_note(&tally, caller, caller_function, id, function);
	recent_note_keep(&tally, id,
			 (union note){ .function = function, .depth = 1 });
	return id;
}

static void assert_next(uint32_t caller, uint32_t before, uint32_t next)
{
	assert_int_equal(*foresight_place(&tally, caller, before), next);
}

static void no_callee_is_expected_at_first(void **state)
{
	(void)state;
	assert_next(A, 0, 0);
	assert_next(A, B, 0);
}

static void callees_are_expected_in_their_order(void **state)
{
	const uint64_t a = record(ID_ROOT, 0, A);

	(void)state;
	record(a, A, B);
	record(a, A, C);
	record(a, A, D);
	assert_next(0, 0, A);
	assert_next(A, 0, B);
	assert_next(A, B, C);
	assert_next(A, C, D);
	assert_next(A, D, 0);
	assert_next(B, 0, 0);
}

/* The calls that a callee makes do not separate two calls of its caller. */
static void callees_of_callees_are_skipped(void **state)
{
	const uint64_t a = record(ID_ROOT, 0, A), b = record(a, A, B);

	(void)state;
	record(b, B, D);
	record(a, A, C);
	assert_next(A, B, C);
	assert_next(B, 0, D);
	assert_next(B, D, 0);
}

static void a_new_context_expects_the_last_callee_of_its_function(void **state)
{
	const uint64_t a = record(ID_ROOT, 0, A), d = record(ID_ROOT, 0, D);
	uint64_t below;

	(void)state;
	record(a, A, B);
	below = record(d, D, A);
	record(below, A, C);
	assert_next(A, 0, C);
	record(below, A, B);
	assert_next(A, 0, C);
	assert_next(A, C, B);
}

/* Another context has replaced the caller among the recent ones. */
static void forgotten_caller_begins_anew(void **state)
{
	const uint64_t a = record(ID_ROOT, 0, A);
	const union note note = { .function = D, .depth = 1 };

	(void)state;
	record(a, A, B);
	recent_note_keep(&tally, a ^ UINT64_C(16), note);
	recent_note_keep(&tally, a, (union note){ .function = A, .depth = 1 });
	record(a, A, C);
	assert_next(A, 0, C);
	assert_next(A, B, 0);
}

#define CLAIM(name) cmocka_unit_test_setup(name, empty_tally)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(no_callee_is_expected_at_first),
		CLAIM(callees_are_expected_in_their_order),
		CLAIM(callees_of_callees_are_skipped),
		CLAIM(a_new_context_expects_the_last_callee_of_its_function),
		CLAIM(forgotten_caller_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
