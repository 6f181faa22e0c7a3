/* SPDX-License-Identifier: MIT */
/*
 * Tests which instructions are found to switch stacks, and where their target
 * is.
 */
#include "disasm_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/leap.h"

static unsigned int read_leap(const char *code, size_t bytes)
{
	unsigned int load_bytes;

	return leap_read((const uint8_t *)code, bytes, &load_bytes);
}

#define READ(code) read_leap(code, sizeof(code) - 1)

static void jumps_between_stacks_by_compilers_are_read(void **state)
{
	/* mov 0x10(%rax),%rsp; jmp *%rdx */
	assert_int_equal(READ("\x48\x8b\x60\x10\xff\xe2"), 6);
	/* mov 0x10(%rax),%rsp; mov %rcx,%rbp; jmp *%rdx */
	assert_int_equal(READ("\x48\x8b\x60\x10\x48\x89\xcd\xff\xe2"), 9);
	/* mov (%rip),%rsp; mov %rdi,%rbp; notrack jmp *%r11 */
	assert_int_equal(
		READ("\x48\x8b\x25\0\0\0\0\x48\x89\xfd\x3e\x41\xff\xe3"), 14);
	/* mov 0x100(%r12),%rsp; jmp *%rax */
	assert_int_equal(READ("\x49\x8b\xa4\x24\0\x01\0\0\xff\xe0"), 10);
	/* mov (,%rcx,8),%rsp; jmp *%rax */
	assert_int_equal(READ("\x48\x8b\x24\xcd\0\0\0\0\xff\xe0"), 10);
}

static void jumps_between_stacks_by_glibc_are_read(void **state)
{
	/* mov %r8,%rsp; mov %r9,%rbp; jmp *%rdx */
	assert_int_equal(READ("\x4c\x89\xc4\x4c\x89\xcd\xff\xe2"), 8);
	/* the same with other encodings, and a nop for systemtap */
	assert_int_equal(READ("\x49\x8b\xe0\x49\x8b\xe9\x90\xff\xe2"), 9);
	/* mov %r8,%rsp; mov %r9,%rbx; jmp *%rdx: no frame pointer */
	assert_int_equal(READ("\x4c\x89\xc4\x4c\x89\xcb\xff\xe2"), 0);
	/* mov %r8,%r12; mov %r9,%rbp; jmp *%rdx */
	assert_int_equal(READ("\x4d\x89\xc4\x4c\x89\xcd\xff\xe2"), 0);
}

static void jumps_between_stacks_by_hand_are_read(void **state)
{
	/* libgo: mov 0x30(%rdi),%rsp; mov 0x38(%rdi),%rdx; jmp *%rdx */
	assert_int_equal(READ("\x48\x8b\x67\x30\x48\x8b\x57\x38\xff\xe2"), 10);
	/* Free Pascal, musl: mov 0x30(%rdi),%rsp; jmp *0x38(%rdi) */
	assert_int_equal(READ("\x48\x8b\x67\x30\xff\x67\x38"), 7);
	/* mov 0x30(%rdi),%rsp; notrack jmp *0x100(%r12) */
	assert_int_equal(READ("\x48\x8b\x67\x30\x3e\x41\xff\xa4\x24\0\x01"
			      "\0\0"),
			 13);
	/* mov %rdx,%rsp; mov 0x8(%rdi),%rbp; jmp *0x38(%rdi) */
	assert_int_equal(READ("\x48\x89\xd4\x48\x8b\x6f\x08\xff\x67\x38"), 10);
	/* mov (%rax),%rsp; jmp *place(%rip) */
	assert_int_equal(READ("\x48\x8b\x20\xff\x25\0\0\0\0"), 9);
}

static void code_without_a_leap_is_not_read_as_one(void **state)
{
	/* mov 0x10(%rsp),%rsp: its operand moves when the probe has pushed */
	assert_int_equal(READ("\x48\x8b\x64\x24\x10\xff\xe2"), 0);
	/* mov 0x10(%rax),%r12 */
	assert_int_equal(READ("\x4c\x8b\x60\x10\xff\xe2"), 0);
	/* mov %rax,%rsp */
	assert_int_equal(READ("\x48\x8b\xe0\xff\xe2\x90"), 0);
	/* mov %rcx,%rsp in between */
	assert_int_equal(READ("\x48\x8b\x60\x10\x48\x89\xcc\xff\xe2"), 0);
	/* pop %rbp in between */
	assert_int_equal(READ("\x48\x8b\x60\x10\x5d\xff\xe2"), 0);
	/* call *%rdx; call *(%rdx) */
	assert_int_equal(READ("\x48\x8b\x60\x10\xff\xd2"), 0);
	assert_int_equal(READ("\x48\x8b\x60\x10\xff\x12"), 0);
	/*
	 * a switch after the end of a variable-length array: jmp
	 * *table(,%rax,8), 0(%rcx,%rax,8)
	 */
	assert_int_equal(READ("\x48\x8b\x65\xd0\xff\x24\xc5\0\0\x40\0"), 0);
	assert_int_equal(READ("\x48\x8b\x65\xd0\xff\x24\xc1"), 0);
	/* mov 0x8(%rdi),%rsp in between; jmp *0x38(%rdi), no frame pointer */
	assert_int_equal(READ("\x48\x8b\x60\x10\x48\x8b\x67\x08\xff\xe2"), 0);
	assert_int_equal(READ("\x48\x89\xd4\xff\x67\x38"), 0);
}

static void part_is_not_read(const char *leap, size_t whole)
{
	for (size_t bytes = 0; bytes < whole; bytes++) {
		char *copy = memcpy(malloc(bytes + 1), leap, bytes);
		char *exact = realloc(copy, bytes ? bytes : 1);

		assert_int_equal(read_leap(exact, bytes), 0);
		free(exact);
	}
	assert_int_equal(read_leap(leap, whole), whole);
}

static void nothing_is_read_past_the_end(void **state)
{
	static const char by_register[] =
		"\x48\x8b\x60\x10\x48\x89\xcd\xff\xe2";
	static const char by_place[] =
		"\x48\x8b\x67\x30\x48\x8b\x57\x38\xff\xa7\0\x01\0\0";

	part_is_not_read(by_register, sizeof(by_register) - 1);
	part_is_not_read(by_place, sizeof(by_place) - 1);
}

static void target_of_a_moved_leap_is_loaded(void **state)
{
	static const uint8_t leap[] = { 0x48, 0x8b, 0x25, 0x10, 0,
					0,    0,    0xff, 0xe0 };
	uint8_t code[64] = { 0 };
	uint8_t out[64];

	memcpy(code, leap, sizeof(leap));
	assert_int_equal(leap_write_target(*state, code, 0x10000, out,
					   sizeof(out), 0x10100),
			 7);
	/* mov -0xf0(%rip),%rdi */
	assert_memory_equal(out, "\x48\x8b\x3d\x10\xff\xff\xff", 7);
	assert_int_equal(leap_write_target(*state, code, 0x10000, out,
					   sizeof(out), UINT64_C(1) << 40),
			 -ERANGE);
	/* mov %r8,%rdi, by either encoding */
	assert_int_equal(leap_write_target(*state,
					   (const uint8_t *)"\x4c\x89\xc4",
					   0x10000, out, sizeof(out), 0x10100),
			 3);
	assert_memory_equal(out, "\x4c\x89\xc7", 3);
	assert_int_equal(leap_write_target(*state,
					   (const uint8_t *)"\x49\x8b\xe0",
					   0x10000, out, sizeof(out), 0x10100),
			 3);
	assert_memory_equal(out, "\x49\x8b\xf8", 3);
	code[1] = 0x89;
	assert_int_equal(leap_write_target(*state, code, 0x10000, out,
					   sizeof(out), 0x10100),
			 -EINVAL);
}

static void assert_push(const char *leap, const char *push)
{
	uint8_t out[LEAP_PUSH_MAX_BYTES];

	assert_int_equal(leap_write_push((const uint8_t *)leap, out),
			 strlen(push));
	assert_memory_equal(out, push, strlen(push));
}

static void assert_nothing_known(const char *leap)
{
	uint8_t out[LEAP_PUSH_MAX_BYTES];

	assert_int_equal(leap_write_push((const uint8_t *)leap, out), 2);
	assert_memory_equal(out, "\x6a\0", 2); /* push $0 */
}

static void jump_target_in_memory_is_not_pushed(void **state)
{
	/* mov 0x30(%rdi),%rsp; mov 0x38(%rdi),%rdx; jmp *%rdx */
	assert_nothing_known("\x48\x8b\x67\x30\x48\x8b\x57\x38\xff\xe2");
	/* ... mov 0x38(%rdi),%rcx; mov %rcx,%rdx; jmp *%rdx */
	assert_nothing_known("\x48\x8b\x67\x30\x48\x8b\x4f\x38\x48\x89\xca"
			     "\xff\xe2");
	/* mov 0x30(%rdi),%rsp; jmp *0x38(%rdi); notrack jmp *0x38(%r12) */
	assert_nothing_known("\x48\x8b\x67\x30\xff\x67\x38");
	assert_nothing_known("\x48\x8b\x67\x30\x3e\x41\xff\x64\x24\x38");
	/* mov 0x30(%rdi),%rsp; mov 0x8(%rdi),%rbp; jmp *%rdx: push %rdx */
	assert_push("\x48\x8b\x67\x30\x48\x8b\x6f\x08\xff\xe2", "\x52");
}

static void jump_target_in_a_register_is_pushed(void **state)
{
	/* mov 0x10(%rax),%rsp; mov %rcx,%rbp; jmp *%rdx: push %rdx */
	assert_push("\x48\x8b\x60\x10\x48\x89\xcd\xff\xe2", "\x52");
	/* mov %r8,%rsp; mov %r9,%rbp; nop; notrack jmp *%r11: push %r11 */
	assert_push("\x4c\x89\xc4\x4c\x89\xcd\x90\x3e\x41\xff\xe3", "\x41\x53");
	/* mov %r8,%rsp; mov %rcx,%rbp; mov %r12,%rdx; jmp *%rdx: push %r12 */
	assert_push("\x4c\x89\xc4\x48\x89\xcd\x4c\x89\xe2\xff\xe2", "\x41\x54");
	/*
	 * the same with another encoding, through a third register: push %r12
	 */
	assert_push("\x4c\x89\xc4\x49\x8b\xcc\x48\x89\xca\xff\xe2", "\x41\x54");
	/* mov %r8,%rsp; jmp *%rbx: push %rbx */
	assert_push("\x4c\x89\xc4\xff\xe3", "\x53");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jumps_between_stacks_by_compilers_are_read),
		cmocka_unit_test(jumps_between_stacks_by_glibc_are_read),
		cmocka_unit_test(jumps_between_stacks_by_hand_are_read),
		cmocka_unit_test(code_without_a_leap_is_not_read_as_one),
		cmocka_unit_test(jump_target_in_a_register_is_pushed),
		cmocka_unit_test(jump_target_in_memory_is_not_pushed),
		cmocka_unit_test(nothing_is_read_past_the_end),
		cmocka_unit_test(target_of_a_moved_leap_is_loaded),
	};

	return cmocka_run_group_tests(tests, fixture_open_decoder, NULL);
}
