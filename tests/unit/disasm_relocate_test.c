/* SPDX-License-Identifier: MIT */
/* Tests that golden files cannot express: refusals, reach and bounds. */
#include "disasm_fixture.h"

#include <errno.h>
#include <string.h>

#include "disasm/jumps.h"
#include "disasm/relocate.h"

#define PC     UINT64_C(0x7f0000001000)
#define FAR_PC (PC + (UINT64_C(1) << 31) + 64)

static int move(void **state, const char *code, size_t bytes, uint64_t out_pc,
		uint8_t *out)
{
	return relocate(*state, (const uint8_t *)code, bytes, PC, out,
			RELOCATE_MAX_BYTES, out_pc);
}

static void jump_back_out_of_reach_is_refused(void **state)
{
	uint8_t out[RELOCATE_MAX_BYTES];

	assert_int_equal(move(state, "\x55\x48\x89\xe5\x90", 5, FAR_PC, out),
			 -ERANGE);
}

static void data_out_of_reach_is_refused(void **state)
{
	uint8_t out[RELOCATE_MAX_BYTES];

	/* lea -0x7fffff00(%rip), %rax: just within the original's reach */
	assert_int_equal(move(state, "\x48\x8d\x05\x00\x01\x00\x80", 7,
			      PC + 0x10000, out),
			 -ERANGE);
}

static void a_return_needs_no_way_back(void **state)
{
	uint8_t out[RELOCATE_MAX_BYTES];

	assert_int_equal(move(state, "\x31\xc0\xc3", 3, FAR_PC, out), 3);
	assert_memory_equal(out, "\x31\xc0\xc3", 3);
}

static void a_call_amid_others_is_refused(void **state)
{
	uint8_t out[RELOCATE_MAX_BYTES];

	assert_int_equal(move(state, "\xe8\0\0\0\0\x90", 6, PC + 4096, out),
			 -EINVAL);
}

static void unmovable_and_cut_off_instructions_are_refused(void **state)
{
	uint8_t out[RELOCATE_MAX_BYTES];

	assert_int_equal(move(state, "\x0f\x05\x90\x90\x90", 5, PC + 4096, out),
			 -EINVAL);
	assert_int_equal(move(state, "\x55\x48\x89", 3, PC + 4096, out),
			 -EILSEQ);
}

static void a_branch_to_its_own_start_stays_in_the_copy(void **state)
{
	/* dec %edi; nop; jne start */
	uint8_t out[RELOCATE_MAX_BYTES];
	int bytes = move(state, "\xff\xcf\x90\x75\xfb", 5, PC + 4096, out);

	assert_int_equal(bytes, 3 + 6 + JUMP_BYTES);
	assert_memory_equal(out + 3, "\x0f\x85\xf7\xff\xff\xff", 6);
}

static void a_branch_into_the_displaced_is_refused(void **state)
{
	uint8_t out[RELOCATE_MAX_BYTES];

	assert_int_equal(move(state, "\xff\xcf\x90\x75\xfd", 5, PC + 4096, out),
			 -EINVAL);
}

/* call *8(%rsp,%rax,2), and its copy after a push */
static void operands_on_the_stack_follow_the_push(void **state)
{
	uint8_t out[RELOCATE_MAX_BYTES];
	int bytes = move(state, "\x50\xff\x54\x44\x08", 5, PC + 4096, out);

	assert_int_equal(bytes, 1 + 27 + 7);
	assert_memory_equal(out + 28, "\xff\xa4\x44\x10\0\0\0", 7);
	/* call *(%rsp) */
	bytes = move(state, "\xff\x14\x24", 3, PC + 4096, out);
	assert_int_equal(bytes, 27 + 7);
	assert_memory_equal(out + 27, "\xff\xa4\x24\x08\0\0\0", 7);
	/* call *(%r12), whose r/m field is that of %rsp */
	bytes = move(state, "\x41\xff\x14\x24", 4, PC + 4096, out);
	assert_int_equal(bytes, 27 + 4);
	assert_memory_equal(out + 27, "\x41\xff\x24\x24", 4);
	/* call *-16(%rsp) reads overwritten memory, call *-24(%rsp) does not */
	assert_int_equal(move(state, "\xff\x54\x24\xf0", 4, PC + 4096, out),
			 -EINVAL);
	assert_int_equal(move(state, "\xff\x54\x24\xe8", 4, PC + 4096, out),
			 27 + 7);
}

static void the_first_error_is_returned(void **state)
{
	uint8_t out[RELOCATE_MAX_BYTES];

	/* call *-16(%rsp): its return address is also out of reach */
	assert_int_equal(move(state, "\xff\x54\x24\xf0", 4, FAR_PC, out),
			 -ERANGE);
}

static void the_bound_is_kept_and_sufficient(void **state)
{
	/*
	 * Two loops, then a call through the stack: the longest possible copy.
	 */
	static const uint8_t code[] = { 0xe2, 0x20, 0xe3, 0x20, 0xff, 0x94,
					0x24, 8,    0,    0,    0 };
	uint8_t out[RELOCATE_MAX_BYTES + 1];
	int bytes = relocate(*state, code, sizeof(code), PC, out,
			     RELOCATE_MAX_BYTES, PC + 4096);

	assert_true(bytes > 0);
	for (int room = 0; room < bytes; room++) {
		memset(out, 0xaa, sizeof(out));
		assert_int_equal(relocate(*state, code, sizeof(code), PC, out,
					  (size_t)room, PC + 4096),
				 -ENOSPC);
		assert_int_equal(out[room], 0xaa);
	}
}

static void jumps_encode(void **state)
{
	uint8_t out[5] = { 0 };

	assert_int_equal(jump_encode(out, 0x1000, 0x1005), 0);
	assert_memory_equal(out, "\xe9\0\0\0\0", 5);
	assert_int_equal(call_encode(out, 0x1000, 0x1105), 0);
	assert_memory_equal(out, "\xe8\0\1\0\0", 5);
	assert_int_equal(jump_encode(out, PC, PC + 0x80000004), 0);
	assert_int_equal(jump_encode(out, PC, PC + 0x80000005), -ERANGE);
	assert_int_equal(jump_encode(out, PC, PC + 5 - 0x80000000), 0);
	assert_int_equal(jump_encode(out, PC, PC + 4 - 0x80000000), -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jump_back_out_of_reach_is_refused),
		cmocka_unit_test(data_out_of_reach_is_refused),
		cmocka_unit_test(a_return_needs_no_way_back),
		cmocka_unit_test(a_call_amid_others_is_refused),
		cmocka_unit_test(
			unmovable_and_cut_off_instructions_are_refused),
		cmocka_unit_test(a_branch_to_its_own_start_stays_in_the_copy),
		cmocka_unit_test(a_branch_into_the_displaced_is_refused),
		cmocka_unit_test(operands_on_the_stack_follow_the_push),
		cmocka_unit_test(the_first_error_is_returned),
		cmocka_unit_test(the_bound_is_kept_and_sufficient),
		cmocka_unit_test(jumps_encode),
	};

	return cmocka_run_group_tests(tests, fixture_open_decoder, NULL);
}
