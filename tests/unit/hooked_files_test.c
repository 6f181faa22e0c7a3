/* SPDX-License-Identifier: MIT */
/* Tests of preload/patch/hooked_files.c. */
#include "preload/patch/hooked_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "wire/recording.h"

#define MODULE "/lib/module.so"
#define MANY   100000

static char folder[] = "/tmp/hooked_files_XXXXXX";

/* Creates a file with hooked text. Returns a descriptor. */
static int make_file(char path[64])
{
	snprintf(path, 64, "%s/text%s", folder, WIRE_HOOKED_SUFFIX);
	return open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static void path_outlives_the_session_of_the_file(void **state)
{
	const struct pristine_file own = { 0 };
	char *memory = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct module module = { .path = memory };
	char path[64];
	const int fd = make_file(path);

	assert_true(fd >= 0);
	strcpy(memory, MODULE);
	assert_int_equal(hooked_files_add(fd, &own, &module), 0);
	munmap(memory, PAGE_BYTES);
	assert_string_equal(hooked_files_path(path), MODULE);
	close(fd);
}

/* Each size of the file stands for another file. */
static void file_that_cannot_be_listed_is_refused(void **state)
{
	const struct pristine_file own = { 0 };
	const struct module module = { .path = MODULE };
	char path[64];
	const int fd = make_file(path);
	int err = 0;

	for (int bytes = 1; !err && bytes < MANY; bytes++) {
		assert_int_equal(ftruncate(fd, bytes), 0);
		err = hooked_files_add(fd, &own, &module);
	}
	assert_int_equal(err, -ENOSPC);
	assert_string_equal(hooked_files_path(path), path);
	close(fd);
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char path[64];

	close(make_file(path));
	return unlink(path) || rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(path_outlives_the_session_of_the_file),
		cmocka_unit_test(file_that_cannot_be_listed_is_refused),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
