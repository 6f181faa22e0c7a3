/* SPDX-License-Identifier: MIT */
/* Unit tests of base/new_files.h. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/new_files.h"
#include "tests/unit/fixture.h"
#include "tests/unit/unit.h"

static char *folder;

static int set_up(void **state)
{
	(void)state;
	folder = fixture_directory();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_remove(folder);
	return 0;
}

static void make_file(int number)
{
	char *path = memory_printf("%s/%d", folder, number);
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	close(fd);
	free(path);
}

/* How often each file was found, by its number. */
struct times_found {
	int by_number[20000];
	int sum;
};

static void count(void *context, const char *name)
{
	struct times_found *found = context;

	found->by_number[atoi(name)]++;
	found->sum++;
}

/*
 * Makes files, and calls new_files_each() after each of the first 20, and then
 * after each `between` files. Requires each file to be found once.
 */
static void require_found(int files, int between)
{
	struct times_found *found = memory_zeroed(1, sizeof(*found));
	struct new_files *watched;

	make_file(0);
	watched = new_files_begin(folder);
	assert_non_null(watched);
	for (int made = 1; made <= files; made++) {
		make_file(made);
		if (made <= 20 || made % between == 0) {
			new_files_each(watched, count, found);
			assert_int_equal(found->sum, made);
		}
	}
	new_files_each(watched, count, found);
	new_files_each(watched, count, found);
	assert_int_equal(found->by_number[0], 0);
	for (int i = 1; i <= files; i++)
		assert_int_equal(found->by_number[i], 1);
	new_files_end(watched);
	free(found);
}

static void a_few_are_found(void **state)
{
	(void)state;
	require_found(5, 1);
}

static void many_are_found(void **state)
{
	(void)state;
	require_found(300, 7);
}

/* The kernel keeps at most max_queued_events (16,384 unless it was changed). */
static void more_are_found_than_the_kernel_keeps(void **state)
{
	(void)state;
	require_found(19000, 18000);
}

/* Returns whether the process has a descriptor of inotify. */
static int has_watch(void)
{
	DIR *descriptors = opendir("/proc/self/fd");
	const struct dirent *entry;
	char link[64];
	int found = 0;

	while ((entry = readdir(descriptors))) {
		const ssize_t length =
			readlinkat(dirfd(descriptors), entry->d_name, link,
				   sizeof(link) - 1);

		if (length > 0) {
			link[length] = '\0';
			found += strstr(link, "inotify") != NULL;
		}
	}
	closedir(descriptors);
	return found;
}

/* Closing a watch takes up to 20 ms. */
static void few_files_need_no_watch(void **state)
{
	struct times_found *found = memory_zeroed(1, sizeof(*found));
	struct new_files *watched = new_files_begin(folder);

	(void)state;
	for (int i = 1; i <= 10; i++) {
		make_file(i);
		new_files_each(watched, count, found);
	}
	assert_int_equal(found->sum, 10);
	assert_false(has_watch());
	for (int i = 11; i <= 40; i++)
		make_file(i);
	new_files_each(watched, count, found);
	new_files_each(watched, count, found);
	assert_int_equal(found->sum, 40);
	assert_true(has_watch());
	new_files_end(watched);
	free(found);
}

static void an_absent_folder_is_an_error(void **state)
{
	(void)state;
	assert_null(new_files_begin("/nonexistent/folder"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_few_are_found, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(many_are_found, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			more_are_found_than_the_kernel_keeps, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(few_files_need_no_watch, set_up,
						tear_down),
		cmocka_unit_test(an_absent_folder_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
