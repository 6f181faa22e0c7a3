/* SPDX-License-Identifier: MIT */
/* Tests that preload/record/page_making.c writes zeros where requested. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/hot/runtime.h"
#include "preload/record/page_making.h"

#define FILE_BYTES 1048576
#define FROM       8192
#define LENGTH     200704 /* several writes of 64 KiB, and a shorter one */

static char path[] = "/tmp/clew-pages-XXXXXX";
static struct stat st;
static int fd;

static int begin(void **state)
{
	(void)state;
	memset(&rt, 0, sizeof(rt));
	memset(path + sizeof(path) - 7, 'X', 6);
	fd = mkstemp(path);
	return fd < 0 || ftruncate(fd, FILE_BYTES) != 0 || fstat(fd, &st) != 0;
}

static int end(void **state)
{
	(void)state;
	close(fd);
	return unlink(path);
}

static void make(const char *name, uint64_t inode)
{
	page_making_write(name, st.st_dev, inode, FROM, LENGTH);
}

/* Checks that the file has data, and no hole, in this range. */
static void assert_data(off_t from, off_t to)
{
	assert_int_equal(lseek(fd, 0, SEEK_DATA), from);
	assert_int_equal(lseek(fd, from, SEEK_HOLE), to);
	assert_int_equal(lseek(fd, to, SEEK_DATA), -1);
}

static void assert_untouched(void)
{
	assert_int_equal(lseek(fd, 0, SEEK_DATA), -1);
}

static void created_pages_are_present_and_zero(void **state)
{
	unsigned char *bytes = malloc(FILE_BYTES);

	(void)state;
	make(path, st.st_ino);
	assert_data(FROM, FROM + LENGTH);
	assert_int_equal(pread(fd, bytes, FILE_BYTES, 0), FILE_BYTES);
	for (size_t i = 0; i < FILE_BYTES; i++)
		if (bytes[i])
			fail();
	free(bytes);
}

static void creating_pages_writes_nothing_else(void **state)
{
	char before = 'b', behind = 'e';

	(void)state;
	assert_int_equal(pwrite(fd, &before, 1, FROM - 1), 1);
	assert_int_equal(pwrite(fd, &behind, 1, FROM + LENGTH), 1);
	make(path, st.st_ino);
	assert_int_equal(pread(fd, &before, 1, FROM - 1), 1);
	assert_int_equal(pread(fd, &behind, 1, FROM + LENGTH), 1);
	assert_int_equal(before, 'b');
	assert_int_equal(behind, 'e');
}

static void another_file_of_that_name_stays_unchanged(void **state)
{
	(void)state;
	make(path, st.st_ino + 1);
	assert_untouched();
}

static void file_behind_a_link_stays_unchanged(void **state)
{
	char link[PATH_MAX];

	(void)state;
	snprintf(link, sizeof(link), "%s-link", path);
	assert_int_equal(symlink(path, link), 0);
	make(link, st.st_ino);
	assert_int_equal(unlink(link), 0);
	assert_untouched();
}

static void *write_beside(void *inode)
{
	make(path, *(ino_t *)inode);
	return NULL;
}

/* Another thread could see the descriptor. */
static void no_page_is_created_beside_other_threads(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(
		pthread_create(&thread, NULL, write_beside, &st.st_ino), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_untouched();
}

/* SIGXFSZ has its default action and would end the test. */
static void file_size_limit_ends_the_creation_of_pages(void **state)
{
	const struct rlimit limit = { FROM + 65536, RLIM_INFINITY };
	struct rlimit before;

	(void)state;
	getrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	make(path, st.st_ino);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_data(FROM, FROM + 65536);
}

static void no_descriptor_is_left(void **state)
{
	const int next = dup(fd);
	int again;

	(void)state;
	close(next);
	make(path, st.st_ino);
	make(path, st.st_ino + 1);
	again = dup(fd);
	assert_int_equal(again, next);
	close(again);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(created_pages_are_present_and_zero),
		CLAIM(creating_pages_writes_nothing_else),
		CLAIM(another_file_of_that_name_stays_unchanged),
		CLAIM(file_behind_a_link_stays_unchanged),
		CLAIM(no_page_is_created_beside_other_threads),
		CLAIM(file_size_limit_ends_the_creation_of_pages),
		CLAIM(no_descriptor_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
