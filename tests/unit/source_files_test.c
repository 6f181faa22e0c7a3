/* SPDX-License-Identifier: MIT */
/* Tests the limits of the text of source files. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/code/source_files.h"

static char folder[] = "/tmp/source-files-XXXXXX";

static void path_of(char *path, size_t bytes, const char *name)
{
	snprintf(path, bytes, "%s/%s", folder, name);
}

/* Creates a file of `count` equal bytes. */
static void create(const char *name, char byte, size_t count)
{
	char path[128], *bytes = malloc(count);
	FILE *file;

	path_of(path, sizeof(path), name);
	memset(bytes, byte, count);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
	free(bytes);
}

static const struct source_file *find(struct source_files *files,
				      struct catalog *catalog, const char *name)
{
	char path[128];

	path_of(path, sizeof(path), name);
	return source_files_find(files, catalog, CATALOG_NO_MODULE, path);
}

/*
 * A line takes at least 5 bytes of memory, so the limit is reached by the
 * fourth file of 16 MiB. Later small files are still read.
 */
static void all_files_together_have_a_limit(void **state)
{
	struct source_files files = { .is_offline = 1 };
	struct catalog catalog;
	char from[128], to[128], name[8];

	(void)state;
	catalog_init(&catalog);
	create("0.c", '\n', SOURCE_BYTES_MAX);
	create("small.c", 'x', 10);
	for (int i = 1; i < 5; i++) {
		snprintf(name, sizeof(name), "%d.c", i);
		path_of(from, sizeof(from), "0.c");
		path_of(to, sizeof(to), name);
		assert_int_equal(link(from, to), 0);
	}
	for (int i = 0; i < 5; i++) {
		const struct source_file *file;

		snprintf(name, sizeof(name), "%d.c", i);
		file = find(&files, &catalog, name);
		if (i < 3) {
			assert_int_equal(file->line_count, SOURCE_BYTES_MAX);
			assert_null(file->why);
		} else {
			assert_int_equal(file->line_count, 0);
			assert_null(file->path);
			assert_non_null(
				strstr(file->why, "exceed 256 MiB in total"));
		}
	}
	assert_true(files.bytes <= SOURCE_TOTAL_BYTES_MAX);
	assert_string_equal(source_line(find(&files, &catalog, "small.c"), 1),
			    "xxxxxxxxxx");
	source_files_fini(&files);
	catalog_fini(&catalog);
}

/* Each tab becomes eight columns. Lines keep the first thousand columns. */
static void memory_of_long_lines_is_returned(void **state)
{
	struct source_files files = { .is_offline = 1 };
	struct catalog catalog;

	(void)state;
	catalog_init(&catalog);
	create("tabs.c", '\t', SOURCE_BYTES_MAX);
	assert_int_equal(find(&files, &catalog, "tabs.c")->line_count, 1);
	assert_true(files.bytes < 4096);
	source_files_fini(&files);
	catalog_fini(&catalog);
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_files_together_have_a_limit),
		cmocka_unit_test(memory_of_long_lines_is_returned),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
