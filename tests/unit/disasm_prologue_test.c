/* SPDX-License-Identifier: MIT */
#include "disasm_fixture.h"

#include "disasm/prologue.h"

#define JUDGE(state, code, size, targets)                                      \
	judge(state, code, size, sizeof(code) - 1 - (size), targets, 0)

/* `padding` bytes of code follow the function's own `size`. */
static struct prologue judge(void **state, const char *code, size_t size,
			     size_t padding, uint32_t targets, uint32_t loops)
{
	struct prologue_query query = {
		.code = (const uint8_t *)code,
		.size_bytes = size,
		.padding_bytes = padding,
		.targets = targets,
		.loops = loops,
	};

	return prologue_judge(*state, &query);
}

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

static void without_enough_padding_it_is_too_short(void **state)
{
	assert_refused(JUDGE(state, "\x31\xc0\xc3\xcc", 3, 1),
		       VERDICT_IS_TOO_SHORT);
	assert_refused(JUDGE(state, "\x31\xc0\xc3", 3, 1),
		       VERDICT_IS_TOO_SHORT);
	assert_refused(JUDGE(state, "\xf3\x0f\x1e\xfa", 4, 1),
		       VERDICT_IS_TOO_SHORT);
	assert_refused(JUDGE(state, "", 0, 1), VERDICT_IS_TOO_SHORT);
}

static void what_follows_must_be_padding(void **state)
{
	assert_refused(JUDGE(state, "\x31\xc0\xc3\x55\xcc", 3, 1),
		       VERDICT_IS_TOO_SHORT);
}

/* push %rbx; call *%rax: it would return into the jump */
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
	/* Byte 5 keeps its original. */
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

static void loop_to_the_entry_is_refused(void **state)
{
	const char code[] = "\xf3\x0f\x1e\xfa\xb8\1\0\0\0\xc3";

	assert_refused(judge(state, code, 10, 0, 1, 1), VERDICT_IS_BRANCH_INTO);
	assert_refused(judge(state, code, 10, 0, 1 << 4, 1 << 4),
		       VERDICT_IS_BRANCH_INTO);
	assert_hooked(judge(state, code, 10, 0, 1 << 9, 1 << 9),
		      VERDICT_IS_JUMP, 4, 5);
}

/* jmp *%rax; pop %rax; ...: only an unseen branch leads to the pop */
static void code_behind_an_early_end_is_refused(void **state)
{
	assert_refused(JUDGE(state, "\xff\xe0\x58\x58\x58\xc3", 6, 1),
		       VERDICT_IS_BRANCH_INTO);
}

static void undecodable_is_refused(void **state)
{
	assert_refused(JUDGE(state, "\x06\x06\x06\x06\x06", 5, 1),
		       VERDICT_IS_UNDECODABLE);
	assert_refused(JUDGE(state, "\x55\x06\x06\x06\x06", 5, 1),
		       VERDICT_IS_UNDECODABLE);
}

static void unmovable_instructions_are_refused(void **state)
{
	/* loop, jrcxz, syscall, int3, call *%rax amid others, call *(%rsp) */
	assert_refused(JUDGE(state, "\xe2\x00\x90\x90\x90\xc3", 6, 1),
		       VERDICT_IS_UNMOVABLE);
	assert_refused(JUDGE(state, "\xe3\x00\x90\x90\x90\xc3", 6, 1),
		       VERDICT_IS_UNMOVABLE);
	assert_refused(JUDGE(state, "\x0f\x05\x90\x90\x90\xc3", 6, 1),
		       VERDICT_IS_UNMOVABLE);
	assert_refused(JUDGE(state, "\xcc\x90\x90\x90\x90\xc3", 6, 1),
		       VERDICT_IS_UNMOVABLE);
	assert_refused(JUDGE(state, "\xff\xd0\x90\x90\x90\xc3", 6, 1),
		       VERDICT_IS_UNMOVABLE);
	assert_refused(JUDGE(state, "\x50\x50\x50\xff\x14\x24\xc3", 7, 1),
		       VERDICT_IS_UNMOVABLE);
}

static void calls_are_movable_as_the_last(void **state)
{
	assert_hooked(JUDGE(state, "\x53\xe8\0\0\0\0\xc3", 7, 1),
		      VERDICT_IS_JUMP, 0, 6);
	/* push; mov (%rdi),%rax; call *0x10(%rax) */
	assert_hooked(JUDGE(state, "\x53\x48\x8b\x07\xff\x50\x10\xc3", 8, 1),
		      VERDICT_IS_JUMP, 0, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_instructions_cover_the_jump),
		cmocka_unit_test(endbr_stays_first),
		cmocka_unit_test(padding_completes_a_short_function),
		cmocka_unit_test(padding_inside_the_function_is_as_good),
		cmocka_unit_test(without_enough_padding_it_is_too_short),
		cmocka_unit_test(what_follows_must_be_padding),
		cmocka_unit_test(falling_into_the_padding_is_too_short),
		cmocka_unit_test(branch_into_the_jump_is_refused),
		cmocka_unit_test(branch_into_the_padding_is_refused),
		cmocka_unit_test(branch_behind_endbr_is_counted_from_the_site),
		cmocka_unit_test(loop_to_the_entry_is_refused),
		cmocka_unit_test(code_behind_an_early_end_is_refused),
		cmocka_unit_test(undecodable_is_refused),
		cmocka_unit_test(unmovable_instructions_are_refused),
		cmocka_unit_test(calls_are_movable_as_the_last),
	};

	return cmocka_run_group_tests(tests, fixture_open_decoder, NULL);
}
