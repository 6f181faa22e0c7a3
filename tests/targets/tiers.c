/* SPDX-License-Identifier: MIT */
/*
 * Functions into which no 5-byte jump fits: calls each kind that the assembly
 * part defines, and counts the calls for it. With any argument it also calls
 * the one that only a breakpoint can hook.
 */
#define TRUTH_MAIN
#include "tests/targets/tiers.h"
#include "tests/targets/truth.h"

static long sum;

#define CALL(f, ...)                                                           \
	do {                                                                   \
		ENTER(f);                                                      \
		sum = sum * 31 + f(__VA_ARGS__);                               \
		LEAVE();                                                       \
	} while (0)

static COUNTED void call_each(long i)
{
	ENTER(call_each);
	CALL(loops_to_its_entry, i % 7);
	CALL(loops_to_its_endbr, i % 7);
	CALL(tail_loops_through_another, i % 5);
	CALL(entered_at_its_third_byte, i);
	CALL(enters_another, i);
	CALL(counts_down_by_loop, i % 9);
	CALL(tests_by_jrcxz, i % 2);
	CALL(calls_by_the_stack, i);
	CALL(shares_bytes, i);
	CALL(behind_shared_bytes, i);
	CALL(is_a_guest, i);
	CALL(is_a_host, i);
	LEAVE();
}

static COUNTED void call_trapped(long i)
{
	ENTER(call_trapped);
	CALL(entered_at_its_second_byte, i % 6);
	LEAVE();
}

int main(int argc, char **argv)
{
	ENTER(main);
	for (long i = 0; i < 1000; i++) {
		call_each(i);
		if (argc > 1)
			call_trapped(i);
	}
	printf("sum %ld\n", sum);
	LEAVE();
	truth_write();
	return 0;
}
