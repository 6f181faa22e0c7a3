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

	if (condition_parse(&condition, text, 0, &why) != 0)
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
	assert_int_equal(condition_parse(&condition, "calls(*)>0", 0, &why), 0);
	assert_int_equal(condition.is_each, 1);
	assert_null(condition.function);
	condition_fini(&condition);
}

static void assert_refused(const char *text, int is_value, const char *why)
{
	struct condition condition;
	char *found = NULL;

	assert_int_not_equal(
		condition_parse(&condition, text, is_value, &found), 0);
	assert_string_equal(found, why);
	free(found);
}

static void errors_have_their_position(void **state)
{
	(void)state;
	assert_refused("", 0, "character 1: expected calls, self or total");
	assert_refused("callsign>1", 0,
		       "character 1: expected calls, self or total");
	assert_refused("calls(f>1", 0,
		       "character 10: expected a ) after the function");
	assert_refused("calls( )>1", 0,
		       "character 8: expected a function or *");
	assert_refused("calls(f)1", 0,
		       "character 9: expected one of > >= < <= !=");
	assert_refused("calls(f)>>1", 0, "character 10: expected a number");
	assert_refused("calls>inf", 0, "character 7: expected a number");
	assert_refused("calls>1ms", 0, "character 8: expected % or the end");
	assert_refused("calls>1% ms", 0, "character 10: expected the end");
	assert_refused("self>1", 0, "character 7: expected % or ns, us, ms, s");
	assert_refused("self>1msx", 0, "character 9: expected the end");
	assert_refused("self!=0%", 0,
		       "character 5: expected > or <, because times are never "
		       "equal");
	assert_refused("calls>99999999999999999999", 0,
		       "character 7: expected a smaller number");
}

static void values_of_agents_need_no_unit(void **state)
{
	struct condition condition;
	char *why;

	(void)state;
	assert_int_equal(condition_parse(&condition, "self(f)>4096", 1, &why),
			 0);
	assert_true(condition.limit == 4096);
	condition_fini(&condition);
	assert_refused("self>1x", 1, "character 7: expected the end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			conditions_have_a_metric_an_operator_and_a_limit),
		cmocka_unit_test(names_may_contain_parentheses_and_operators),
		cmocka_unit_test(an_asterisk_is_each_function),
		cmocka_unit_test(errors_have_their_position),
		cmocka_unit_test(values_of_agents_need_no_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
