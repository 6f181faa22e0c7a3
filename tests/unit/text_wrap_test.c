/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "report/write/text_wrap.h"

static void assert_wrapped(const char *text, unsigned int width,
			   const char *expected)
{
	char *got = NULL;
	size_t bytes;
	FILE *out = open_memstream(&got, &bytes);

	assert_non_null(out);
	text_wrap(out, text, width);
	fclose(out);
	assert_string_equal(got, expected);
	free(got);
}

static void lines_break_between_words(void **state)
{
	(void)state;
	assert_wrapped("one two three\n", 8, "one two\n  three\n");
	assert_wrapped("one two three\n", 7, "one two\n  three\n");
	assert_wrapped("one two three\n", 13, "one two three\n");
	assert_wrapped("one two three four\n", 9, "one two\n  three\n  four\n");
}

static void each_line_is_wrapped_by_itself(void **state)
{
	(void)state;
	assert_wrapped("\na b\n\nc d e\n", 3, "\na b\n\nc d\n  e\n");
	assert_wrapped("no end", 80, "no end\n");
}

static void long_words_stay_whole(void **state)
{
	(void)state;
	assert_wrapped("a abcdefghij b\n", 5, "a\n  abcdefghij\n  b\n");
	assert_wrapped("abcdefghij\n", 5, "abcdefghij\n");
}

static void no_width_is_any_width(void **state)
{
	(void)state;
	assert_wrapped("one two three\nfour\n", 0, "one two three\nfour\n");
}

static void characters_count_and_not_bytes(void **state)
{
	(void)state;
	assert_wrapped("\u00e4\u00e4\u00e4 b c\n", 7,
		       "\u00e4\u00e4\u00e4 b c\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_break_between_words),
		cmocka_unit_test(each_line_is_wrapped_by_itself),
		cmocka_unit_test(long_words_stay_whole),
		cmocka_unit_test(no_width_is_any_width),
		cmocka_unit_test(characters_count_and_not_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
