/* SPDX-License-Identifier: MIT */
/* Tests of the output that people read at a terminal. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "cli/common/cut.h"

static void assert_cut(int width, const char *text, const char *expected)
{
	struct cut cut = { .width = width };
	char whole[256], bytewise[256];
	size_t length = cut_bytes(&cut, text, strlen(text), ">", whole);

	whole[length] = '\0';
	assert_string_equal(whole, expected);
	/* The result is the same if the text arrives in pieces. */
	cut = (struct cut){ .width = width };
	length = 0;
	for (; *text; text++)
		length += cut_bytes(&cut, text, 1, ">", bytewise + length);
	bytewise[length] = '\0';
	assert_string_equal(bytewise, expected);
}

static void long_lines_are_cut(void **state)
{
	(void)state;
	assert_cut(5, "1234\n", "1234\n");
	assert_cut(5, "123456\nabc\n", "1234>\nabc\n");
	assert_cut(5, "123456", "1234>");
}

static void characters_are_cut_as_a_whole(void **state)
{
	(void)state;
	assert_cut(4, "\u2514\u2500 f\n", "\u2514\u2500 >\n");
	assert_cut(3, "\u2514\u2500\u2514\u2500\n", "\u2514\u2500>\n");
}

static void escape_sequences_take_no_room(void **state)
{
	(void)state;
	assert_cut(4, "\033[1;31mabc\033[m\n", "\033[1;31mabc\033[m\n");
	assert_cut(4, "\033[1mabcdef\033[mg\n", "\033[1mabc>\033[m\n");
}

/* Returns the output of progress on stderr. free() it. */
static char *written_by(struct progress *progress, uint64_t done)
{
	char *text = calloc(1, 256);
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);

	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	progress_update(progress, "working", done, 200);
	progress_clear(progress);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	fread(text, 1, 255, file);
	fclose(file);
	return text;
}

static void progress_shows_the_percentage(void **state)
{
	struct progress progress = { .is_on = 1 };
	char *text = written_by(&progress, 50);

	(void)state;
	assert_string_equal(text, "\r\033[Kworking: 25 %\r\033[K");
	free(text);
	/* no second message follows at once */
	text = written_by(&progress, 51);
	assert_string_equal(text, "");
	free(text);
}

static void progress_that_is_off_says_nothing(void **state)
{
	struct progress progress = { 0 };
	char *text = written_by(&progress, 50);

	(void)state;
	assert_string_equal(text, "");
	free(text);
	progress_update(NULL, "working", 1, 2);
	progress_clear(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(characters_are_cut_as_a_whole),
		cmocka_unit_test(escape_sequences_take_no_room),
		cmocka_unit_test(progress_shows_the_percentage),
		cmocka_unit_test(progress_that_is_off_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
