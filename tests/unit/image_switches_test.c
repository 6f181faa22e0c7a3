/* SPDX-License-Identifier: MIT */
/* Tests in which code switch_watch_insn() finds a switch to another stack. */
#include "disasm_fixture.h"

#include "image/switches.h"

/* Returns how many of the code's instructions switch to another stack. */
static int count_switches(const struct decoder *decoder, const char *code,
			  size_t bytes)
{
	struct switch_watch watch = { 0 };
	struct insn insn;
	int count = 0;

	for (size_t at = 0; at < bytes; at += insn.length) {
		const uint8_t *here = (const uint8_t *)code + at;

		assert_int_equal(
			decode_operands(decoder, here, bytes - at, &insn), 0);
		count += switch_watch_insn(&watch, here, &insn);
	}
	return count;
}

#define COUNT(code) count_switches(*state, code, sizeof(code) - 1)

static void a_restored_stack_pointer_is_no_switch(void **state)
{
	/* mov %rsp,%rbx; mov %rbx,%rsp */
	assert_int_equal(COUNT("\x48\x89\xe3\x48\x89\xdc"), 0);
	/* mov %rsp,-0x58(%rbp); mov -0x58(%rbp),%rsp */
	assert_int_equal(COUNT("\x48\x89\x65\xa8\x48\x8b\x65\xa8"), 0);
	/* mov %rsp,0(%rbp,%rax,8); mov 0(%rbp,%rax,8),%rsp */
	assert_int_equal(COUNT("\x48\x89\x64\xc5\0\x48\x8b\x64\xc5\0"), 0);
	/* lea -0x28(%rbp),%rsp; mov 0x10(%rsp),%rsp */
	assert_int_equal(COUNT("\x48\x8d\x65\xd8\x48\x8b\x64\x24\x10"), 0);
}

static void a_loaded_stack_pointer_is_a_switch(void **state)
{
	/* mov %rsp,(%rdi); mov (%rsi),%rsp */
	assert_int_equal(COUNT("\x48\x89\x27\x48\x8b\x26"), 1);
	/* mov %rsp,(%r12); mov 0(%r13),%rsp */
	assert_int_equal(COUNT("\x49\x89\x24\x24\x49\x8b\x65\0"), 1);
	/* mov %rax,%rsp */
	assert_int_equal(COUNT("\x48\x89\xc4"), 1);
}

static void global_variables_are_not_the_frame(void **state)
{
	/* mov %rsp,0x100(%rip); mov 0x200(%rip),%rsp */
	assert_int_equal(COUNT("\x48\x89\x25\0\x01\0\0\x48\x8b\x25\0\x02\0\0"),
			 1);
	/* mov %rsp,-0x58(%rbp); mov 0x200(%rip),%rsp */
	assert_int_equal(COUNT("\x48\x89\x65\xa8\x48\x8b\x25\0\x02\0\0"), 1);
	/* mov %rsp,0x10000; mov 0x20000,%rsp */
	assert_int_equal(COUNT("\x48\x89\x24\x25\0\0\x01\0"
			       "\x48\x8b\x24\x25\0\0\x02\0"),
			 1);
	/* mov %rsp,0x10000(,%rcx,8); mov 0x10000(,%rdx,8),%rsp */
	assert_int_equal(COUNT("\x48\x89\x24\xcd\0\0\x01\0"
			       "\x48\x8b\x24\xd5\0\0\x01\0"),
			 1);
	/* lea 0x200(%rip),%rsp */
	assert_int_equal(COUNT("\x48\x8d\x25\0\x02\0\0"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_restored_stack_pointer_is_no_switch),
		cmocka_unit_test(a_loaded_stack_pointer_is_a_switch),
		cmocka_unit_test(global_variables_are_not_the_frame),
	};

	return cmocka_run_group_tests(tests, fixture_open_decoder, NULL);
}
