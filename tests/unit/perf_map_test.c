/* SPDX-License-Identifier: MIT */
/* Tests of perf maps: which lines are valid, and how others are skipped. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolizer/a2n.h"
#include "symbolizer/space/feed.h"

/* The space read from a file of these bytes, and the reader's result. */
struct given {
	struct a2n_space *space;
	struct a2n_read read;
};

static struct given given_bytes(const char *bytes, size_t count)
{
	char path[] = "/tmp/clew-test-XXXXXX";
	int fd = mkstemp(path);
	struct given given;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, count), count);
	close(fd);
	assert_int_equal(a2n_space_create(NULL, &given.space), 0);
	assert_int_equal(
		a2n_space_read_perf_map(given.space, path, 0, &given.read), 0);
	assert_int_equal(a2n_space_commit(given.space), 0);
	unlink(path);
	return given;
}

static struct given given_text(const char *text)
{
	return given_bytes(text, strlen(text));
}

static const char *name_at(const struct given *given, uint64_t pc)
{
	struct a2n_frame frame;

	return a2n_space_lookup(given->space, pc, A2N_LATEST, NULL, 0, NULL,
				&frame, 1)
		       ? frame.name
		       : NULL;
}

#define assert_name(given, pc, expected)                                       \
	assert_string_equal(name_at(given, pc), expected)

static void assert_counts(struct given *given, uint64_t records,
			  uint64_t malformed)
{
	assert_int_equal(given->read.records, records);
	assert_int_equal(given->read.malformed, malformed);
	assert_int_equal(given->read.unknown, 0);
	a2n_space_destroy(given->space);
}

static void hexadecimal_has_a_prefix_or_none_and_any_case(void **state)
{
	struct given given = given_text("1000 10 plain\n"
					"0x2000 0x10 prefixed\n"
					"0X000000000000aBc0 0X1F upper\n"
					"0000000000000000003000 10 padded\n");

	(void)state;
	assert_name(&given, 0x100f, "plain");
	assert_name(&given, 0x2000, "prefixed");
	assert_name(&given, 0xabde, "upper");
	assert_name(&given, 0x3000, "padded");
	assert_null(name_at(&given, 0x1010));
	assert_counts(&given, 4, 0);
}

static void names_may_have_blanks_and_anything_but_a_newline(void **state)
{
	struct given given =
		given_text("1000 10 int java.lang.Object.hashCode()  \n"
			   "2000\t10\tJS:~f /a b.js:1:20\r\n"
			   "3000 10 \303\251t\303\251\n");

	(void)state;
	assert_name(&given, 0x1000, "int java.lang.Object.hashCode()  ");
	assert_name(&given, 0x2000, "JS:~f /a b.js:1:20");
	assert_name(&given, 0x3000, "\303\251t\303\251");
	assert_counts(&given, 3, 0);
}

static void the_newest_line_wins(void **state)
{
	struct given given = given_text("1000 100 one\n"
					"1080 100 two\n"
					"1040 8 three\n"
					"1000 100 one\n"
					"1010 10 four\n");

	(void)state;
	assert_name(&given, 0x1000, "one");
	assert_name(&given, 0x1010, "four");
	assert_name(&given, 0x1040, "one");
	assert_name(&given, 0x10ff, "one");
	assert_name(&given, 0x1100, "two");
	assert_counts(&given, 5, 0);
}

static void malformed_lines_are_skipped_and_counted(void **state)
{
	struct given given =
		given_text("1000 10 before\n"
			   "\n"
			   "  \n"
			   "hello\n"
			   "2000\n"
			   "2000 \n"
			   "2000 1g name\n"
			   "0x 10 name\n"
			   "2000, 10 name\n"
			   "-2000 10 name\n"
			   "2000 0 empty\n"
			   "10000000000000000 10 too long a number\n"
			   "ffffffffffffff00 100 beyond the end\n"
			   "3000 10 behind\n");

	(void)state;
	assert_name(&given, 0x1000, "before");
	assert_name(&given, 0x3000, "behind");
	assert_null(name_at(&given, 0x2000));
	assert_null(name_at(&given, UINT64_MAX - 1));
	assert_counts(&given, 2, 12);
}

static void a_line_may_reach_up_to_the_last_byte_but_one(void **state)
{
	struct given given = given_text("ffffffffffffff00 ff top\n");

	(void)state;
	assert_name(&given, UINT64_MAX - 1, "top");
	assert_counts(&given, 1, 0);
}

static void nul_bytes_spoil_their_line_alone(void **state)
{
	static const char bytes[] = "1000 10 a\n"
				    "\0\0\0\0002000 10 b\n"
				    "3000 10 c\0d\n"
				    "4000 10 e\n";
	struct given given = given_bytes(bytes, sizeof(bytes) - 1);

	(void)state;
	assert_name(&given, 0x1000, "a");
	assert_null(name_at(&given, 0x2000));
	assert_null(name_at(&given, 0x3000));
	assert_name(&given, 0x4000, "e");
	assert_counts(&given, 2, 2);
}

static void the_last_line_needs_no_end_but_a_name(void **state)
{
	struct given named = given_text("1000 10 a\n2000 10 b");
	struct given cut = given_text("1000 10 a\n2000 1");

	(void)state;
	assert_name(&named, 0x2000, "b");
	assert_counts(&named, 2, 0);
	assert_null(name_at(&cut, 0x2000));
	assert_counts(&cut, 1, 1);
}

static void a_line_without_a_name_is_malformed(void **state)
{
	struct given given = given_text("1000 10 a\n1000 8\n1008 4 \n");

	(void)state;
	assert_name(&given, 0x1000, "a");
	assert_name(&given, 0x1008, "a");
	assert_counts(&given, 1, 2);
}

static void huge_lines_are_kept_up_to_a_mebibyte(void **state)
{
	enum { LONG = 1000 * 1000, TOO_LONG = 3 * 1000 * 1000 };
	size_t count = 0;
	char *bytes = malloc(LONG + TOO_LONG + 100);
	struct given given;

	(void)state;
	count += (size_t)sprintf(bytes, "1000 10 ");
	memset(bytes + count, 'x', LONG);
	count += LONG;
	count += (size_t)sprintf(bytes + count, "\n2000 10 ");
	memset(bytes + count, 'y', TOO_LONG);
	count += TOO_LONG;
	count += (size_t)sprintf(bytes + count, "\n3000 10 z\n");
	given = given_bytes(bytes, count);
	assert_int_equal(strlen(name_at(&given, 0x1000)), LONG);
	assert_null(name_at(&given, 0x2000));
	assert_name(&given, 0x3000, "z");
	assert_counts(&given, 2, 1);
	free(bytes);
}

static void many_lines_over_many_reads_are_all_there(void **state)
{
	enum { LINES = 20000 };
	char *text = malloc(LINES * 40), *end = text;
	struct given given;

	(void)state;
	for (int i = 0; i < LINES; i++)
		end += sprintf(end, "%x 10 name %d\n", i * 16, i);
	given = given_text(text);
	for (int i = 0; i < LINES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "name %d", i);
		assert_name(&given, (uint64_t)i * 16 + 15, name);
	}
	assert_counts(&given, LINES, 0);
	free(text);
}

static void append(const char *path, const char *text)
{
	FILE *file = fopen(path, "a");

	fputs(text, file);
	fclose(file);
}

static void of_a_growing_file_only_what_began_before_is_read(void **state)
{
	char path[] = "/tmp/clew-test-XXXXXX";
	struct feed feed;
	uint8_t *bytes;

	(void)state;
	close(mkstemp(path));
	append(path, "first\nsec");
	assert_int_equal(feed_open(&feed, path), 0);
	append(path, "ond\nthird\n");
	feed_skip(&feed, 6);
	assert_false(feed_is_over(&feed));
	assert_true(feed_has(&feed, 13));
	assert_false(feed_has(&feed, 14));
	assert_true(feed_peek(&feed, 7, &bytes) >= 7);
	assert_memory_equal(bytes, "second\n", 7);
	feed_skip(&feed, 7);
	assert_true(feed_is_over(&feed));
	feed_close(&feed);
	unlink(path);
}

static void a_file_that_shrinks_just_ends(void **state)
{
	char path[] = "/tmp/clew-test-XXXXXX";
	struct feed feed;
	uint8_t *bytes;

	(void)state;
	close(mkstemp(path));
	append(path, "0123456789");
	assert_int_equal(feed_open(&feed, path), 0);
	assert_int_equal(truncate(path, 4), 0);
	assert_int_equal(feed_peek(&feed, 10, &bytes), 4);
	feed_skip(&feed, 4);
	assert_false(feed_is_over(&feed));
	assert_int_equal(feed_peek(&feed, 1, &bytes), 0);
	assert_int_equal(feed.err, 0);
	feed_close(&feed);
	unlink(path);
}

static void other_files_than_regular_ones_are_errors(void **state)
{
	char fifo[] = "/tmp/clew-test-XXXXXX";
	struct a2n_space *space;
	struct a2n_read read = { .records = 77 };

	(void)state;
	assert_int_equal(a2n_space_create(NULL, &space), 0);
	assert_int_equal(a2n_space_read_perf_map(space, "/nowhere", 0, &read),
			 -ENOENT);
	assert_int_equal(a2n_space_read_perf_map(space, "/tmp", 0, &read),
			 -EINVAL);
	close(mkstemp(fifo));
	unlink(fifo);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(a2n_space_read_perf_map(space, fifo, 0, &read),
			 -EINVAL);
	unlink(fifo);
	assert_int_equal(read.records, 77);
	a2n_space_destroy(space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hexadecimal_has_a_prefix_or_none_and_any_case),
		cmocka_unit_test(
			names_may_have_blanks_and_anything_but_a_newline),
		cmocka_unit_test(the_newest_line_wins),
		cmocka_unit_test(malformed_lines_are_skipped_and_counted),
		cmocka_unit_test(a_line_may_reach_up_to_the_last_byte_but_one),
		cmocka_unit_test(nul_bytes_spoil_their_line_alone),
		cmocka_unit_test(the_last_line_needs_no_end_but_a_name),
		cmocka_unit_test(a_line_without_a_name_is_malformed),
		cmocka_unit_test(huge_lines_are_kept_up_to_a_mebibyte),
		cmocka_unit_test(many_lines_over_many_reads_are_all_there),
		cmocka_unit_test(
			of_a_growing_file_only_what_began_before_is_read),
		cmocka_unit_test(a_file_that_shrinks_just_ends),
		cmocka_unit_test(other_files_than_regular_ones_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
