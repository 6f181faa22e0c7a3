/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const words[] = { "record", "report", "tree",  "trace",
				     "top",    "status", "export" };

enum { WORDS = sizeof(words) / sizeof(*words) };

static void one_typing_error_is_corrected(void **state)
{
	(void)state;
	assert_string_equal(nearest_word("recrod", words, WORDS), "record");
	assert_string_equal(nearest_word("rcord", words, WORDS), "record");
	assert_string_equal(nearest_word("recordd", words, WORDS), "record");
	assert_string_equal(nearest_word("racord", words, WORDS), "record");
	assert_string_equal(nearest_word("trase", words, WORDS), "trace");
	assert_string_equal(nearest_word("tpo", words, WORDS), "top");
}

static void missing_last_characters_are_one_error(void **state)
{
	(void)state;
	assert_string_equal(nearest_word("rec", words, WORDS), "record");
	assert_string_equal(nearest_word("stat", words, WORDS), "status");
}

static void the_word_with_the_fewest_errors_wins(void **state)
{
	static const char *const both[] = { "abcdxx", "abcdex", "abcdef" };

	(void)state;
	assert_string_equal(nearest_word("abcdeg", both, 2), "abcdex");
	assert_string_equal(nearest_word("abcdef", both, 3), "abcdef");
}

static void other_words_are_no_typing_errors(void **state)
{
	static const char *const one[] = { "x" };
	static const char longest[] =
		"0123456789012345678901234567890123456789012345678901234567890"
		"123456789";

	(void)state;
	assert_null(nearest_word("frobnicate", words, WORDS));
	assert_null(nearest_word("", words, WORDS));
	assert_null(nearest_word("y", one, 1));
	assert_null(nearest_word(longest, words, WORDS));
	assert_null(nearest_word("record", NULL, 0));
}

static void only_the_given_length_of_a_candidate_counts(void **state)
{
	struct nearest nearest = nearest_to("parze");

	(void)state;
	nearest_offer(&nearest, "parse(char const *)", strlen("parse"));
	assert_string_equal(nearest.best, "parse(char const *)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_typing_error_is_corrected),
		cmocka_unit_test(missing_last_characters_are_one_error),
		cmocka_unit_test(the_word_with_the_fewest_errors_wins),
		cmocka_unit_test(other_words_are_no_typing_errors),
		cmocka_unit_test(only_the_given_length_of_a_candidate_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
