/* SPDX-License-Identifier: MIT */
#include "disasm_fixture.h"

#include "disasm/prologue.h"

/* Code after the function's `size` bytes is padding. */
#define QUERY(bytes, size, mask)                                               \
	&(struct prologue_query)                                               \
	{                                                                      \
		.code = (const uint8_t *)(bytes), .size_bytes = (size),        \
		.padding_bytes = sizeof(bytes) - 1 - (size), .targets = (mask) \
	}

#define JUDGE(state, code, size, targets)                                      \
	prologue_judge(*(state), QUERY(code, size, targets))

static void assert_hooked(struct prologue got, enum verdict as, int offset,
			  int bytes)
{
	assert_int_equal(got.verdict, as);
	assert_int_equal(got.patch_offset, offset);
	assert_int_equal(got.displaced_bytes, bytes);
}

static void assert_refused(struct prologue got, enum verdict reason)
{
	assert_hooked(got, reason, 0, 0);
}

static void whole_instructions_cover_the_jump(void **state)
{
	/* push %rbp; mov %rsp,%rbp; sub $0x20,%rsp; ret */
	assert_hooked(
		JUDGE(state, "\x55\x48\x89\xe5\x48\x83\xec\x20\xc3", 9, 1),
		VERDICT_IS_JUMP, 0, 8);
}

static void endbr_stays_first(void **state)
{
	assert_hooked(JUDGE(state, "\xf3\x0f\x1e\xfa\xb8\1\0\0\0\xc3", 10, 1),
		      VERDICT_IS_JUMP, 4, 5);
}

static void padding_completes_a_short_function(void **state)
{
	assert_hooked(JUDGE(state, "\x31\xc0\xc3\xcc\xcc", 3, 1),
		      VERDICT_IS_JUMP_PADDED, 0, 3);
	assert_hooked(JUDGE(state, "\x31\xc0\xc3\0\0", 3, 1),
		      VERDICT_IS_JUMP_PADDED, 0, 3);
	assert_hooked(JUDGE(state, "\x31\xc0\xc3\x66\x90", 3, 1),
		      VERDICT_IS_JUMP_PADDED, 0, 3);
	assert_hooked(
		JUDGE(state, "\xf3\x0f\x1e\xfa\xc3\x90\x90\x90\x90", 5, 1),
		VERDICT_IS_JUMP_PADDED, 4, 1);
}

static void padding_inside_the_function_is_as_good(void **state)
{
	assert_hooked(JUDGE(state, "\x31\xc0\xc3\xcc\xcc", 5, 1),
		      VERDICT_IS_JUMP, 0, 3);
}

static void short_function_without_padding_is_refused(void **state)
{
	assert_refused(JUDGE(state, "\x31\xc0\xc3\xcc", 3, 1),
		       VERDICT_IS_TOO_SHORT);
	assert_refused(JUDGE(state, "\x31\xc0\xc3", 3, 1),
		       VERDICT_IS_TOO_SHORT);
	assert_refused(JUDGE(state, "\xf3\x0f\x1e\xfa", 4, 1),
		       VERDICT_IS_TOO_SHORT);
	assert_refused(JUDGE(state, "", 0, 1), VERDICT_IS_TOO_SHORT);
}

static void short_function_before_code_is_refused(void **state)
{
	assert_refused(JUDGE(state, "\x31\xc0\xc3\x55\xcc", 3, 1),
		       VERDICT_IS_TOO_SHORT);
}

/* push %rbx; push %rbx: execution would continue in the padding */
static void falling_into_the_padding_is_too_short(void **state)
{
	assert_refused(JUDGE(state, "\x53\x53\xcc\xcc\xcc\xcc", 2, 1),
		       VERDICT_IS_TOO_SHORT);
}

static void branch_into_the_jump_is_refused(void **state)
{
	const char code[] = "\x55\x48\x89\xe5\x48\x83\xec\x20\xc3";

	for (unsigned int at = 1; at < PATCH_BYTES; at++)
		assert_refused(JUDGE(state, code, 9, 1U << at),
			       VERDICT_IS_BRANCH_INTO);
	/* Byte 5 keeps its value. */
	assert_hooked(JUDGE(state, code, 9, 1 << 5 | 1), VERDICT_IS_JUMP, 0, 8);
}

static void branch_into_the_padding_is_refused(void **state)
{
	assert_refused(JUDGE(state, "\x31\xc0\xc3\xcc\xcc", 3, 1 << 3),
		       VERDICT_IS_BRANCH_INTO);
}

static void branch_behind_endbr_is_counted_from_the_site(void **state)
{
	const char code[] = "\xf3\x0f\x1e\xfa\xb8\1\0\0\0\xc3";

	assert_hooked(JUDGE(state, code, 10, 1 << 4), VERDICT_IS_JUMP, 4, 5);
	assert_refused(JUDGE(state, code, 10, 1 << 8), VERDICT_IS_BRANCH_INTO);
}

/* jmp *%rax; pop %rax; ...: only an unseen branch leads to the pop */
static void code_behind_an_early_end_is_refused(void **state)
{
	assert_refused(JUDGE(state, "\xff\xe0\x58\x58\x58\xc3", 6, 1),
		       VERDICT_IS_BRANCH_INTO);
}

static void undecodable_code_is_refused(void **state)
{
	assert_refused(JUDGE(state, "\x06\x06\x06\x06\x06", 5, 1),
		       VERDICT_IS_UNDECODABLE);
	assert_refused(JUDGE(state, "\x55\x06\x06\x06\x06", 5, 1),
		       VERDICT_IS_UNDECODABLE);
}

static void unmovable_instructions_are_refused(void **state)
{
	/* syscall, int3, call *%rax among other code, call *%rsp */
	assert_refused(JUDGE(state, "\x0f\x05\x90\x90\x90\xc3", 6, 1),
		       VERDICT_IS_UNMOVABLE);
	assert_refused(JUDGE(state, "\xcc\x90\x90\x90\x90\xc3", 6, 1),
		       VERDICT_IS_UNMOVABLE);
	assert_refused(JUDGE(state, "\xff\xd0\x90\x90\x90\xc3", 6, 1),
		       VERDICT_IS_UNMOVABLE);
	assert_refused(JUDGE(state, "\x50\x50\x50\xff\xd4\xc3", 6, 1),
		       VERDICT_IS_UNMOVABLE);
}

static void a_call_is_movable_as_the_last_instruction(void **state)
{
	assert_hooked(JUDGE(state, "\x53\xe8\0\0\0\0\xc3", 7, 1),
		      VERDICT_IS_JUMP, 0, 6);
	/* push; mov (%rdi),%rax; call *0x10(%rax) */
	assert_hooked(JUDGE(state, "\x53\x48\x8b\x07\xff\x50\x10\xc3", 8, 1),
		      VERDICT_IS_JUMP, 0, 7);
	/* push; push; push; call *(%rsp) */
	assert_hooked(JUDGE(state, "\x50\x50\x50\xff\x14\x24\xc3", 7, 1),
		      VERDICT_IS_JUMP, 0, 6);
}

static void loops_are_movable(void **state)
{
	assert_hooked(JUDGE(state, "\xe2\x04\x90\x90\x90\xc3", 6, 1 << 6),
		      VERDICT_IS_JUMP, 0, 5);
	assert_hooked(JUDGE(state, "\xe3\x04\x90\x90\x90\xc3", 6, 1 << 6),
		      VERDICT_IS_JUMP, 0, 5);
}

/* mov %rdi,%rax; add ...: like memmove, which is entered at its byte 3 */
#define ENTERED "\x48\x89\xf8\x48\x01\xf0\xc3"

static void two_bytes_are_enough_for_a_short_jump(void **state)
{
	assert_hooked(prologue_judge_short(*state, QUERY(ENTERED, 7, 1 << 3)),
		      VERDICT_IS_JUMP_SHORT, 0, 3);
	assert_hooked(prologue_judge_short(*state, QUERY(ENTERED, 7, 1 << 2)),
		      VERDICT_IS_JUMP_SHORT, 0, 3);
	assert_refused(prologue_judge_short(*state, QUERY(ENTERED, 7, 1 << 1)),
		       VERDICT_IS_BRANCH_INTO);
	/* one byte with padding, and one byte without */
	assert_hooked(prologue_judge_short(*state, QUERY("\xc3\x90", 1, 0)),
		      VERDICT_IS_JUMP_SHORT, 0, 1);
	assert_refused(prologue_judge_short(*state, QUERY("\xc3\x55", 1, 0)),
		       VERDICT_IS_TOO_SHORT);
}

static void a_punned_jump_takes_only_free_bytes(void **state)
{
	/*
	 * A punned jump changes bytes up to the target, and never the fifth
	 * byte.
	 */
	assert_hooked(prologue_judge_punned(*state, QUERY(ENTERED, 7, 1 << 3)),
		      VERDICT_IS_JUMP_PUNNED, 0, 3);
	assert_hooked(
		prologue_judge_punned(
			*state, QUERY("\x55\x53\x50\x51\x52\xc3", 6, 1 << 4)),
		VERDICT_IS_JUMP_PUNNED, 0, 4);
	assert_hooked(prologue_judge_punned(
			      *state, QUERY("\x55\x53\x50\x51\x52", 5, 1 << 2)),
		      VERDICT_IS_JUMP_PUNNED, 0, 2);
	/* The code ends where its flow ends; another function follows. */
	assert_hooked(prologue_judge_punned(
			      *state, QUERY("\x31\xc0\xc3\x55\x53", 3, 0)),
		      VERDICT_IS_JUMP_PUNNED, 0, 3);
	/* A call must be the last instruction. */
	assert_hooked(prologue_judge_punned(
			      *state, QUERY("\xff\xd0\x50\x51\x52", 5, 1 << 4)),
		      VERDICT_IS_JUMP_PUNNED, 0, 2);
}

static void a_punned_jump_needs_two_bytes(void **state)
{
	assert_refused(
		prologue_judge_punned(
			*state, QUERY("\x55\x53\x50\x51\x52\xc3", 6, 1 << 1)),
		VERDICT_IS_TOO_SHORT);
	assert_refused(prologue_judge_punned(*state, QUERY(ENTERED, 7, 1 << 1)),
		       VERDICT_IS_BRANCH_INTO);
	assert_refused(prologue_judge_punned(
			       *state, QUERY("\xb8\1\0\0\0\xc3", 6, 1 << 1)),
		       VERDICT_IS_TOO_SHORT);
}

static void a_trap_displaces_one_instruction(void **state)
{
	const char behind_endbr[] = "\xf3\x0f\x1e\xfa\x55\xc3";

	assert_hooked(prologue_judge_trap(*state, QUERY(ENTERED, 7, 0x7f)),
		      VERDICT_IS_TRAP, 0, 3);
	assert_hooked(prologue_judge_trap(*state, QUERY(behind_endbr, 6, 0x7f)),
		      VERDICT_IS_TRAP, 4, 1);
	assert_refused(prologue_judge_trap(*state, QUERY("\x0f\x05\xc3", 3, 0)),
		       VERDICT_IS_UNMOVABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_instructions_cover_the_jump),
		cmocka_unit_test(endbr_stays_first),
		cmocka_unit_test(padding_completes_a_short_function),
		cmocka_unit_test(padding_inside_the_function_is_as_good),
		cmocka_unit_test(short_function_without_padding_is_refused),
		cmocka_unit_test(short_function_before_code_is_refused),
		cmocka_unit_test(falling_into_the_padding_is_too_short),
		cmocka_unit_test(branch_into_the_jump_is_refused),
		cmocka_unit_test(branch_into_the_padding_is_refused),
		cmocka_unit_test(branch_behind_endbr_is_counted_from_the_site),
		cmocka_unit_test(code_behind_an_early_end_is_refused),
		cmocka_unit_test(undecodable_code_is_refused),
		cmocka_unit_test(unmovable_instructions_are_refused),
		cmocka_unit_test(a_call_is_movable_as_the_last_instruction),
		cmocka_unit_test(loops_are_movable),
		cmocka_unit_test(two_bytes_are_enough_for_a_short_jump),
		cmocka_unit_test(a_punned_jump_takes_only_free_bytes),
		cmocka_unit_test(a_punned_jump_needs_two_bytes),
		cmocka_unit_test(a_trap_displaces_one_instruction),
	};

	return cmocka_run_group_tests(tests, fixture_open_decoder, NULL);
}
