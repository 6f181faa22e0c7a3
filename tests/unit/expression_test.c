/* SPDX-License-Identifier: MIT */
/*
 * Tests of expression/: a probe's expressions must have the value that the
 * compiler computes for the same words. A "$" may be part of a C name.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "expression/expression.h"

struct point {
	int32_t x, y;
};

static uint64_t registers[MACHINE_REGISTERS];

static const char *refused = ""; /* memory from here on is not readable */
static size_t refused_bytes;

static long read_here(void *to, uint64_t from, size_t bytes)
{
	const char *start = (const char *)from;

	if (start + bytes > refused && start < refused + refused_bytes)
		return -EFAULT;
	memcpy(to, start, bytes);
	return 0;
}

static uint64_t tid_here(void)
{
	return 4711;
}

static const struct expression_view view = { registers, 0x10000, tid_here,
					     read_here };

static void parse(const char *text, struct expression *out)
{
	struct expression_problem problem = { 0 };

	if (expression_parse(text, strlen(text), out, &problem))
		fail_msg("%s: at %zu: %s", text, problem.at, problem.what);
}

static uint64_t value_of(const char *text)
{
	struct expression expression;
	uint64_t value = 0;

	parse(text, &expression);
	assert_int_equal(expression_evaluate(&expression, &view, &value),
			 EXPRESSION_IS_FINE);
	return value;
}

static void same(const char *text, uint64_t truth)
{
	const uint64_t value = value_of(text);

	if (value != truth)
		fail_msg("%s is %lx, not %lx", text, value, truth);
}

#define SAME(e) same(#e, (uint64_t)(e))

/* clang-format off: the words are the user's. */
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wbitwise-op-parentheses"
#pragma clang diagnostic ignored "-Wtautological-constant-compare"
#pragma clang diagnostic ignored "-Wtautological-constant-out-of-range-compare"
#endif

static void operators_are_computed_as_in_c(void **state)
{
	static const int64_t values[] = {
		0, 1, -1, 7, -300, INT64_MAX, INT32_MIN, 0x123456789abc
	};
	const size_t count = sizeof(values) / sizeof(*values);

	for (size_t i = 0; i < count * count; i++) {
		const long arg1 = values[i % count], arg2 = values[i / count];
		const long arg6 = 3, ret = -5, tid = 4711;

		registers[17] = (uint64_t)arg1;
		registers[11] = (uint64_t)arg2;
		registers[9] = (uint64_t)arg6;
		registers[MACHINE_RESULT] = (uint64_t)ret;
		SAME(arg1 == arg2);
		SAME(arg1 != arg2 || ret > 2);
		SAME(arg1 < arg2);
		SAME(arg1 <= arg2 && arg6 != 0);
		SAME(arg1 > arg2);
		SAME(arg1 >= arg2);
		SAME(!arg1);
		SAME(!!arg1 + !arg2);
		SAME(~arg1 & arg2);
		SAME(arg1 ^ arg2 | arg6);
		SAME(arg1 & arg2 ^ arg6);
		SAME((arg1 | arg2) == arg1 + 0);
		SAME((unsigned long)arg1 + (unsigned long)arg2 * 3);
		SAME((unsigned long)arg1 - (unsigned long)arg2 - 1);
		SAME((unsigned long)arg1 < (unsigned long)arg2);
		SAME((unsigned long)arg1 >= (unsigned long)arg2);
		SAME((size_t)arg1 > arg6);
		SAME((unsigned char)arg1);
		SAME((signed char)arg1);
		SAME((char)arg1 < 0);
		SAME((short)arg1 * 2);
		SAME((unsigned short int)arg1 * 2);
		SAME((long unsigned int)arg1 >> 3);
		SAME((int)arg1 >> 3);
		SAME((uint32_t)arg1 >> 3);
		SAME(arg1 >> arg6);
		SAME(1 << arg6 << 2);
		SAME((unsigned long)arg1 / (unsigned long)7);
		SAME((unsigned long)arg1 % 10 == 1);
		SAME(arg1 / arg6 % 5);
		SAME(arg1 % -7);
		SAME(tid * 2 - -ret - - -ret);
		SAME(arg1 == 'a' || arg1 == '\n' || arg1 == 0x7);
		SAME(arg2 && arg1 / arg2 > 3);
		SAME(!arg2 || arg1 % arg2 == 1);
		SAME(0xffffffffffffffff > 5);
		SAME(1 + 2 * 3 - 4 / 2 % 3 << 1 > 5 == 1 & 3 ^ 4 | 8);
	}
}

static void memory_is_read(void **state)
{
	char text[] = "a word";
	unsigned char bytes[] = { 200, 100, 0xff };
	short shorts[] = { -7, 300 };
	struct point points[] = { { 1, -2 }, { 3, 4 } };
	char *texts[] = { text, text + 2, NULL };
	uint64_t words[] = { 1, UINT64_MAX };
	const long $rdi = (long)text, $rsi = (long)bytes, $rdx = (long)points;
	const long $rcx = (long)texts, $r8 = (long)words, $r9 = (long)shorts;

	registers[17] = (uint64_t)$rdi;
	registers[11] = (uint64_t)$rsi;
	registers[12] = (uint64_t)$rdx;
	registers[13] = (uint64_t)$rcx;
	registers[10] = (uint64_t)$r8;
	registers[9] = (uint64_t)$r9;
	SAME(*(char *)$rdi);
	SAME(((char *)$rdi)[2]);
	SAME(((const char *)$rdi)[2] == 'w');
	SAME(*((char *)$rdi + 5) - 'd');
	SAME(*(unsigned char *)$rsi);
	SAME(*(signed char *)$rsi);
	SAME(((uint8_t *)$rsi)[1] + ((uint8_t *)$rsi)[2]);
	SAME(*(int *)($rdx + 4));
	SAME(((int *)$rdx)[3]);
	SAME(*(unsigned *)($rdx + 4));
	SAME(**(char **)$rcx);
	SAME(((char **)$rcx)[1][1]);
	SAME(*(*((char **)$rcx + 1) + 3));
	SAME(*(char **)($rcx + 16) == 0);
	SAME(!((char **)$rcx)[2] || **((char **)$rcx + 2));
	SAME(((uint64_t *)$r8)[1] > 5);
	SAME(((long *)$r8)[1] > 5);
	SAME(*((short *)$r9 + 1) + *(short *)$r9);
	SAME(*(uint16_t *)$r9);
	SAME(*((long *)($r8 + 16) - 1));
}

static void the_base_is_a_number(void **state)
{
	same("$base", 0x10000);
	same("$base+16", 0x10010);
	same("-$base", (uint64_t)-0x10000);
}

static void parts_of_registers_are_read(void **state)
{
	registers[MACHINE_RESULT] = 0x1122334455667788;
	registers[MACHINE_SP] = 0xfedcba9876543210;
	same("$rax", 0x1122334455667788);
	same("$eax", 0x55667788);
	same("$ax+1", 0x7789);
	same("$al", 0x88);
	same("$rsp", 0xfedcba9876543210);
	same("$spl", 0x10);
	same("tid", 4711);
}
/* clang-format on */

static void texts_are_compared(void **state)
{
	char text[] = "a\tword";

	registers[17] = (uint64_t)text;
	same("arg1 == \"a\\tword\"", 1);
	same("arg1 != \"a\\tword\" || 0", 0);
	same("arg1 == \"a\\twor\"", 0);
	same("arg1==\"a\\tworda\"", 0);
	same("arg1 == \"\"", 0);
	same("1 && arg1 + 2 == \"word\" && 1", 1);
}

static void values_that_cannot_be_computed_fail(void **state)
{
	static const struct {
		const char *text;
		enum expression_failure failure;
	} wrong[] = {
		{ "*(long *)arg1", EXPRESSION_IS_UNREADABLE },
		{ "*(char *)(arg1 - 1) + *(char *)arg1",
		  EXPRESSION_IS_UNREADABLE },
		{ "arg1 == \"x\"", EXPRESSION_IS_UNREADABLE },
		{ "3 / (tid - 4711)", EXPRESSION_IS_DIVIDED },
		{ "(unsigned long)3 % (tid - 4711)", EXPRESSION_IS_DIVIDED },
	};
	char bytes[16] = "at its end: abc";
	struct expression expression;
	uint64_t value;

	refused = bytes + 8;
	refused_bytes = 8;
	registers[17] = (uint64_t)refused;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		parse(wrong[i].text, &expression);
		assert_int_equal(
			expression_evaluate(&expression, &view, &value),
			wrong[i].failure);
	}
	same("tid != 4711 && *(long *)arg1", 0);
	same("tid == 4711 || *(long *)arg1", 1);
	same("arg1 - 7 == \"x\"",
	     0); /* the texts differ before unreadable memory */
	refused_bytes = 0;
	same("-0x7fffffffffffffff - 1 == (-0x7fffffffffffffff - 1) / -1", 1);
	same("(-0x7fffffffffffffff - 1) % -1", 0);
}

static void invalid_expressions_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		" ",
		"arg7",
		"arg0",
		"arg",
		"$",
		"$xyz",
		"$rdi $rsi",
		"name",
		"1 +",
		"(1",
		"1)",
		"((int)",
		"*arg1",
		"*1",
		"*(void *)arg1",
		"(void)1",
		"(char long)1",
		"(int int)1",
		"(unsigned signed)1",
		"(unsigned bool)1",
		"0x",
		"12a",
		"18446744073709551616",
		"'ab'",
		"'",
		"'\\q'",
		"arg1 == \"open",
		"\"text\" == arg1",
		"arg1 < \"text\"",
		"1 = 2",
		"arg1[1]",
		"((char *)1)[2",
		"1 + (char *)2",
		"a b",
		"1,2",
	};
	struct expression expression;
	struct expression_problem problem;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const size_t bytes = strlen(texts[i]);

		problem = (struct expression_problem){ SIZE_MAX, NULL };
		if (expression_parse(texts[i], bytes, &expression, &problem) !=
		    -EINVAL)
			fail_msg("\"%s\" is understood", texts[i]);
		assert_true(problem.at <= bytes);
		assert_non_null(problem.what);
	}
}

static void limits_of_expressions_are_enforced(void **state)
{
	char text[4096];
	struct expression expression;
	struct expression_problem problem;

	for (unsigned int open = 1; open < 600; open++) {
		memset(text, '(', open);
		memset(text + open, '1', 1);
		memset(text + open + 1, ')', open);
		if (expression_parse(text, 2 * open + 1, &expression,
				     &problem)) {
			assert_string_equal(
				problem.what,
				"the expression is nested too deeply");
			assert_true(open > 16);
		}
	}
	/* a + (a + (a + ... */
	for (unsigned int i = 0; i < 600; i++)
		memcpy(text + 4 * i, "1+(1", 4);
	assert_int_equal(expression_parse(text, 2400, &expression, &problem),
			 -EINVAL);
	assert_string_equal(problem.what,
			    "the expression is nested too deeply");
	for (unsigned int i = 0; i < 600; i++)
		memcpy(text + 2 * i, "+1", 2);
	assert_int_equal(
		expression_parse(text + 1, 1199, &expression, &problem),
		-EINVAL);
	assert_string_equal(problem.what, "the expression is too long");
	memset(text, 'x', sizeof(text));
	memcpy(text, "arg1==\"", 7);
	text[sizeof(text) - 1] = '"';
	assert_int_equal(
		expression_parse(text, sizeof(text), &expression, &problem),
		-EINVAL);
	assert_string_equal(problem.what, "the string is too long");
}

static void check_field(const char *text, size_t *at, const char *name,
			char format, unsigned int string_bytes)
{
	struct expression_field field;
	struct expression_problem problem;

	if (expression_field_parse(text, strlen(text), at, &field, &problem))
		fail_msg("%s: at %zu: %s", text, problem.at, problem.what);
	assert_int_equal(field.format, format);
	assert_int_equal(field.end - field.start, strlen(name));
	assert_memory_equal(text + field.start, name, strlen(name));
	if (format == 's')
		assert_int_equal(field.string_bytes, string_bytes);
}

static void fields_are_read(void **state)
{
	static const char text[] =
		" arg1 , arg2/x,(unsigned long)arg3/2 ,  *(char **)arg1, "
		"arg4/s200,arg5 /c, $rdi / 3/u, (void*)1, `p->q, r` arg1/x, "
		"`s`*(char **)arg2";
	static const char *const wrong[] = { "arg1/s257", "arg1/x5", "arg1/q",
					     "arg1 arg2", "arg1/xx", ",",
					     "",          "`a arg1", "`a`" };
	struct expression_field field;
	struct expression_problem problem;
	size_t at = 0;

	check_field(text, &at, "arg1", 'd', 0);
	check_field(text, &at, "arg2", 'x', 0);
	check_field(text, &at, "(unsigned long)arg3/2", 'u', 0);
	check_field(text, &at, "*(char **)arg1", 's', EXPRESSION_STRING_LESS);
	check_field(text, &at, "arg4", 's', 200);
	check_field(text, &at, "arg5", 'c', 0);
	check_field(text, &at, "$rdi / 3", 'u', 0);
	check_field(text, &at, "(void*)1", 'x', 0);
	check_field(text, &at, "p->q, r", 'x', 0);
	check_field(text, &at, "s", 's', EXPRESSION_STRING_LESS);
	assert_int_equal(at, strlen(text));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		at = 0;
		if (!expression_field_parse(wrong[i], strlen(wrong[i]), &at,
					    &field, &problem))
			fail_msg("\"%s\" is understood", wrong[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators_are_computed_as_in_c),
		cmocka_unit_test(memory_is_read),
		cmocka_unit_test(the_base_is_a_number),
		cmocka_unit_test(parts_of_registers_are_read),
		cmocka_unit_test(texts_are_compared),
		cmocka_unit_test(values_that_cannot_be_computed_fail),
		cmocka_unit_test(invalid_expressions_are_refused),
		cmocka_unit_test(limits_of_expressions_are_enforced),
		cmocka_unit_test(fields_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
