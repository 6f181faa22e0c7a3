/* SPDX-License-Identifier: MIT */
/* Tests of contexts' own times, which follow from calls, returns and stamps. */
#include "tests/unit/unit.h"

#include "report/merge/packet_times.h"

enum { TALLY = 3, A = 0x111, B = 0x222, C = 0x333 };

static struct packet_table table;
static struct packet_times times;

static int begin(void **unused)
{
	packet_table_init(&table);
	packet_table_enter(&table, A, TALLY, 1);
	packet_table_enter(&table, B, TALLY, 2);
	packet_table_enter(&table, C, TALLY, 3);
	packet_times_begin(&times, TALLY);
	return 0;
}

static int end(void **unused)
{
	packet_times_fini(&times);
	packet_table_fini(&table);
	return 0;
}

static void call(uint64_t id)
{
	packet_times_call(&times, id, 0);
}

static void stamp(enum packet_event event, uint64_t tsc)
{
	packet_times_stamp(&times, &table, event, tsc);
}

static void returned_to(uint64_t id, uint64_t tsc)
{
	stamp(PACKET_RETURN, tsc);
	packet_times_run(&times, PACKET_RETURN, id);
}

static void has(uint64_t id, uint64_t ticks)
{
	assert_int_equal(packet_table_find(&table, id, TALLY)->ticks, ticks);
}

static void stamped_calls_and_returns_are_exact(void **unused)
{
	call(A);
	stamp(PACKET_TIME, 100);
	call(B);
	stamp(PACKET_TIME, 110);
	returned_to(A, 140);
	call(C);
	stamp(PACKET_TIME, 145);
	call(B); /* a call by C */
	stamp(PACKET_TIME, 146);
	returned_to(C, 150);
	returned_to(A, 157);
	returned_to(0, 200);
	call(C); /* no call is active */
	stamp(PACKET_TIME, 1000);
	has(A, 10 + 5 + 43);
	has(B, 30 + 4);
	has(C, 1 + 7);
	assert_int_equal(times.ticks, 100);
	assert_true(times.has_returns && times.has_stamps);
}

static void calls_between_stamps_share_the_time(void **unused)
{
	call(A);
	stamp(PACKET_TIME, 100);
	call(B);
	call(C);
	call(B);
	stamp(PACKET_TIME, 130);
	stamp(PACKET_MOMENT, 140);
	call(C);
	stamp(PACKET_TIME, 150);
	has(A, 10);
	has(B, 10 + 10 + 10);
	has(C, 10);
	assert_false(times.has_returns);
}

static void nothing_is_lost_by_rounding(void **unused)
{
	call(A);
	stamp(PACKET_TIME, 100);
	for (int i = 0; i < 7; i++)
		call(i % 2 ? B : C);
	stamp(PACKET_TIME, 200);
	has(A, 14);
	assert_int_equal(times.ticks, 100);
}

static void long_times_do_not_overflow(void **unused)
{
	const uint64_t tsc = UINT64_MAX / 4 * 3;

	call(A);
	stamp(PACKET_TIME, 1);
	call(B);
	call(C);
	stamp(PACKET_TIME, 1 + tsc);
	has(A, tsc / 2);
	has(B, tsc - tsc / 2);
}

static void forgotten_calls_have_no_time(void **unused)
{
	call(A);
	stamp(PACKET_TIME, 100);
	call(B);
	packet_times_forget(&times);
	stamp(PACKET_CONTEXT, 500);
	packet_times_run(&times, PACKET_CONTEXT, A);
	call(C);
	stamp(PACKET_TIME, 600);
	packet_times_begin(&times, TALLY);
	stamp(PACKET_CONTEXT, 900);
	has(A, 0);
	has(B, 0);
	has(C, 100);
}

static void contexts_that_are_unknown_have_no_time(void **unused)
{
	call(0x444);
	stamp(PACKET_TIME, 100);
	stamp(PACKET_MOMENT, 200);
	assert_int_equal(times.ticks, 0);
	assert_null(packet_table_find(&table, 0x444, TALLY));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			stamped_calls_and_returns_are_exact, begin, end),
		cmocka_unit_test_setup_teardown(
			calls_between_stamps_share_the_time, begin, end),
		cmocka_unit_test_setup_teardown(nothing_is_lost_by_rounding,
						begin, end),
		cmocka_unit_test_setup_teardown(long_times_do_not_overflow,
						begin, end),
		cmocka_unit_test_setup_teardown(forgotten_calls_have_no_time,
						begin, end),
		cmocka_unit_test_setup_teardown(
			contexts_that_are_unknown_have_no_time, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
