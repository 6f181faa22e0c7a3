/* SPDX-License-Identifier: MIT */
/*
 * Tests which conditions `clew diff --fail-if` accepts, and the position of
 * errors.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "report/view/condition.h"

static void assert_read(const char *text, enum diff_key key,
			const char *function, enum condition_operator operator,
			double limit)
{
	struct condition condition;
	char *why = NULL;

	if (condition_parse(&condition, text, &why) != 0)
		fail_msg("%s: %s", text, why);
	assert_int_equal(condition.key, key);
	assert_int_equal(condition.operator, operator);
	assert_true(condition.limit == limit);
	assert_int_equal(condition.is_percent, strchr(text, '%') != NULL);
	assert_int_equal(condition.is_each, 0);
	if (function)
		assert_string_equal(condition.function, function);
	else
		assert_null(condition.function);
	assert_string_equal(condition.text, text);
	condition_fini(&condition);
}

static void conditions_have_a_metric_an_operator_and_a_limit(void **state)
{
	(void)state;
	assert_read("calls>0%", DIFF_CALLS, NULL, CONDITION_ABOVE, 0);
	assert_read("calls(f)>0%", DIFF_CALLS, "f", CONDITION_ABOVE, 0);
	assert_read("total(main) >= 5ms", DIFF_TOTAL, "main",
		    CONDITION_NOT_BELOW, 5e6);
	assert_read(" self < -2.5us ", DIFF_SELF, NULL, CONDITION_BELOW, -2500);
	assert_read("calls(f)<=-10", DIFF_CALLS, "f", CONDITION_NOT_ABOVE, -10);
	assert_read("calls!=0", DIFF_CALLS, NULL, CONDITION_OTHER, 0);
	assert_read("self>1s", DIFF_SELF, NULL, CONDITION_ABOVE, 1e9);
	assert_read("self>1ns", DIFF_SELF, NULL, CONDITION_ABOVE, 1);
}

static void names_may_contain_parentheses_and_operators(void **state)
{
	(void)state;
	assert_read("calls( a::f(int (*)(int)) const ) > 1", DIFF_CALLS,
		    "a::f(int (*)(int)) const", CONDITION_ABOVE, 1);
	assert_read("calls(A::operator>=(A const&))>5%", DIFF_CALLS,
		    "A::operator>=(A const&)", CONDITION_ABOVE, 5);
	assert_read("total((kernel))>5%", DIFF_TOTAL, "(kernel)",
		    CONDITION_ABOVE, 5);
}

static void an_asterisk_is_each_function(void **state)
{
	struct condition condition;
	char *why;

	(void)state;
	assert_int_equal(condition_parse(&condition, "calls(*)>0", &why), 0);
	assert_int_equal(condition.is_each, 1);
	assert_null(condition.function);
	condition_fini(&condition);
}

static void assert_refused(const char *text, const char *why)
{
	struct condition condition;
	char *found = NULL;

	assert_int_not_equal(condition_parse(&condition, text, &found), 0);
	assert_string_equal(found, why);
	free(found);
}

static void errors_have_their_position(void **state)
{
	(void)state;
	assert_refused("", "character 1: expected calls, self or total");
	assert_refused("callsign>1",
		       "character 1: expected calls, self or total");
	assert_refused("calls(f>1",
		       "character 10: expected a ) after the function");
	assert_refused("calls( )>1", "character 8: expected a function or *");
	assert_refused("calls(f)1",
		       "character 9: expected one of > >= < <= !=");
	assert_refused("calls(f)>>1", "character 10: expected a number");
	assert_refused("calls>inf", "character 7: expected a number");
	assert_refused("calls>1ms", "character 8: expected % or the end");
	assert_refused("calls>1% ms", "character 10: expected the end");
	assert_refused("self>1msx", "character 9: expected the end");
	assert_refused("calls>99999999999999999999",
		       "character 7: expected a smaller number");
}

static void a_unit_of_time_is_noted(void **state)
{
	static const struct {
		const char *text;
		int has_time_unit;
		double limit;
	} cases[] = {
		{ "self(f)>4096", 0, 4096 }, { "self(f)!=0", 0, 0 },
		{ "total>1us", 1, 1000 },    { "self>5%", 0, 5 },
		{ "calls>5", 0, 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct condition condition;
		char *why;

		assert_int_equal(
			condition_parse(&condition, cases[i].text, &why), 0);
		assert_int_equal(condition.has_time_unit,
				 cases[i].has_time_unit);
		assert_true(condition.limit == cases[i].limit);
		condition_fini(&condition);
	}
	assert_refused("self>1x",
		       "character 7: expected % or ns, us, ms, s, or the end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			conditions_have_a_metric_an_operator_and_a_limit),
		cmocka_unit_test(names_may_contain_parentheses_and_operators),
		cmocka_unit_test(an_asterisk_is_each_function),
		cmocka_unit_test(errors_have_their_position),
		cmocka_unit_test(a_unit_of_time_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
