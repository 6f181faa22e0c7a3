/* SPDX-License-Identifier: MIT */
/*
 * Tests with code in the shapes that both compilers of HotSpot emit, and with
 * other code.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "image/arena.h"
#include "jvm/inplace/compiled_shape.h"

#define LOOK     "\x89\x84\x24\x00\xc0\xfe\xff" /* mov %eax, -0x14000(%rsp) */
#define ENTER    "\x55\x48\x83\xec\x20"         /* push %rbp; sub $0x20, %rsp */
#define LEAVE    "\x48\x83\xc4\x20\x5d"         /* add $0x20, %rsp; pop %rbp */
#define RET      "\xc3"
#define JUMP_OUT "\xe9\x00\x00\x00\x40" /* jmp to a distant address */

static struct arena arena;
static struct decoder decoder;
static struct compiled_shape shape;

static int read_bytes(const char *code, size_t bytes)
{
	return compiled_shape_read(&decoder, &arena, (const uint8_t *)code,
				   (uint32_t)bytes, 0, &shape);
}

#define READ(code) read_bytes(code, sizeof(code) - 1)

static void entry_and_exits_are_found(void **state)
{
	assert_int_equal(READ(LOOK ENTER "\x90" LEAVE RET LEAVE JUMP_OUT), 0);
	assert_int_equal(shape.entry.at, 7);
	assert_int_equal(shape.entry.bytes, 5);
	assert_int_equal(shape.entry_rise, 0);
	assert_int_equal(shape.exit_rise, 0x28);
	assert_int_equal(shape.exit_count, 2);
	assert_int_equal(shape.exits[0].at, 13);
	assert_int_equal(shape.exits[1].at, 19);
	assert_memory_equal(shape.exits[0].code, LEAVE, 5);
}

static void a_frame_without_a_stack_check_is_found(void **state)
{
	/* sub $0x18, %rsp; mov %rbp, 0x10(%rsp); add $0x10, %rsp; pop %rbp */
	assert_int_equal(READ("\x48\x81\xec\x18\x00\x00\x00"
			      "\x48\x89\x6c\x24\x10"
			      "\x48\x83\xc4\x10\x5d" RET),
			 0);
	assert_int_equal(shape.entry.at, 7);
	assert_int_equal(shape.entry_rise, 0x18);
	assert_int_equal(shape.exit_rise, 0x18);
	assert_int_equal(shape.exits[0].at, 12);
}

static void code_behind_the_end_is_ignored(void **state)
{
	assert_int_equal(READ(JUMP_OUT "\x90\x90" ENTER LEAVE RET), -ENOENT);
}

static void a_return_without_an_exit_is_refused(void **state)
{
	assert_int_equal(READ(LOOK ENTER "\x90\x90\x90\x90\x90\x90" RET),
			 -ENOEXEC);
	assert_int_equal(READ(LOOK ENTER "\xc9" RET), -ENOEXEC); /* leave */
}

static void another_frame_than_the_entry_s_is_refused(void **state)
{
	assert_int_equal(READ(LOOK ENTER "\x48\x83\xc4\x30\x5d" RET), -ENOEXEC);
	assert_int_equal(READ("\x55\x48\x83\xec\x20" LEAVE RET), -ENOEXEC);
}

static void a_branch_into_an_exit_is_refused(void **state)
{
	assert_int_equal(READ(LOOK ENTER LEAVE RET "\xeb\xfc"), -ENOEXEC);
	assert_int_equal(READ(LOOK ENTER LEAVE RET "\xeb\xf8"), 0);
}

static void a_branch_into_the_entry_is_refused(void **state)
{
	assert_int_equal(READ(LOOK ENTER LEAVE RET "\xeb\xf3"), -ENOEXEC);
	assert_int_equal(READ(LOOK ENTER LEAVE RET "\xeb\xec"), 0);
}

static void an_unresolved_class_is_skipped(void **state)
{
	/* A jump over movabs $0 of 10 bytes, and its destination. */
	static const char code[] =
		LOOK ENTER "\xe9\x10\x00\x00\x00\x00\x00\x00\x00\x00" LEAVE RET
			   "\xb8\x00\x0f\x05\x0a"
			   "\xe8\x00\x00\x00\x40"
			   "\xe9\xe1\xff\xff\xff";

	assert_int_equal(READ(code), 0);
	assert_int_equal(shape.exit_count, 1);
	assert_int_equal(shape.exits[0].at, 22);
}

static void too_many_exits_are_refused(void **state)
{
	static const char exit[] = { 0x48, (char)0x83, (char)0xc4,
				     0x20, 0x5d,       (char)0xc3 };
	char code[1024] = LOOK ENTER;
	size_t bytes = sizeof(LOOK ENTER) - 1;

	for (int i = 0; i <= SHAPE_EXITS_MAX; i++, bytes += sizeof(exit))
		memcpy(code + bytes, exit, sizeof(exit));
	assert_int_equal(read_bytes(code, bytes - sizeof(exit)), 0);
	assert_int_equal(read_bytes(code, bytes), -E2BIG);
}

static void code_may_end_anywhere(void **state)
{
	static const char code[] = LOOK ENTER LEAVE RET;

	for (size_t bytes = 0; bytes < sizeof(LOOK ENTER) - 1; bytes++)
		assert_int_equal(read_bytes(code, bytes), -ENOEXEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entry_and_exits_are_found),
		cmocka_unit_test(a_frame_without_a_stack_check_is_found),
		cmocka_unit_test(code_behind_the_end_is_ignored),
		cmocka_unit_test(a_return_without_an_exit_is_refused),
		cmocka_unit_test(another_frame_than_the_entry_s_is_refused),
		cmocka_unit_test(a_branch_into_an_exit_is_refused),
		cmocka_unit_test(a_branch_into_the_entry_is_refused),
		cmocka_unit_test(an_unresolved_class_is_skipped),
		cmocka_unit_test(too_many_exits_are_refused),
		cmocka_unit_test(code_may_end_anywhere),
	};
	int failed = decoder_open(&decoder, arena_memory, &arena);

	if (!failed)
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_fini(&arena);
	return failed;
}
