/* SPDX-License-Identifier: MIT */
#include "disasm_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/analysis.h"
#include "image/content.h"
#include "image/image_copy.h"

struct fixture {
	char folder[32];
	char path[64]; /* a copy of this program, which tests change */
};

static void copy_program(const char *to)
{
	char command[128];

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", (int)getpid(),
		 to);
	assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->folder, "/tmp/clew-copy-XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/file", f->folder);
	copy_program(f->path);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char command[64];
	int err;

	snprintf(command, sizeof(command), "rm -r %s", f->folder);
	err = system(command);
	free(f);
	return err;
}

static void write_at(const struct fixture *f, off_t off, const void *bytes,
		     size_t count)
{
	int fd = open(f->path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, count, off), count);
	close(fd);
}

static void a_copy_has_the_content_of_its_file(void **state)
{
	const struct fixture *f = *state;
	struct image image, copy;
	struct content content, of_copy;

	assert_int_equal(image_open(&image, f->path), 0);
	assert_int_equal(image_open_copy(&copy, f->path), 0);
	content = content_of(&image);
	of_copy = content_of(&copy);
	assert_true(content_is_known(&content));
	assert_memory_equal(&content, &of_copy, sizeof(content));
	image_close(&image);
	image_close(&copy);
}

static void a_copy_outlives_changes_of_its_file(void **state)
{
	const struct fixture *f = *state;
	struct content before, after;
	struct image copy;

	assert_int_equal(image_open_copy(&copy, f->path), 0);
	before = content_of(&copy);
	write_at(f, 0x40, "changed", 7);
	after = content_of(&copy);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_int_equal(truncate(f->path, 0), 0);
	after = content_of(&copy);
	assert_memory_equal(&before, &after, sizeof(before));
	image_close(&copy);
}

static void only_files_that_others_can_change_are_copied(void **state)
{
	const struct fixture *f = *state;
	struct image image;

	assert_int_equal(image_open_for(&image, f->path, geteuid()), 0);
	assert_false(image.is_copy);
	image_close(&image);
	assert_int_equal(chmod(f->path, 0666), 0);
	assert_int_equal(image_open_for(&image, f->path, geteuid()), 0);
	assert_true(image.is_copy);
	image_close(&image);
}

static void a_file_cut_anywhere_does_no_harm(void **state)
{
	const struct fixture *f = *state;
	struct image copy;
	struct stat st;

	assert_int_equal(stat(f->path, &st), 0);
	for (off_t cut = st.st_size - 1; cut > 0; cut = cut * 3 / 4) {
		assert_int_equal(truncate(f->path, cut), 0);
		if (image_open_copy(&copy, f->path) == 0) {
			content_of(&copy);
			image_close(&copy);
		}
	}
}

/* The maximum number of sections, each of which is the whole file. */
static void a_file_that_repeats_itself_is_not_hashed_for_long(void **state)
{
	const struct fixture *f = *state;
	Elf64_Shdr section = { .sh_type = SHT_STRTAB };
	struct content content;
	struct image image;
	Elf64_Ehdr header;
	struct stat st;

	assert_int_equal(stat(f->path, &st), 0);
	section.sh_size = (uint64_t)st.st_size;
	assert_int_equal(image_open(&image, f->path), 0);
	memcpy(&header, image.bytes, sizeof(header));
	image_close(&image);
	header.e_shoff = ((uint64_t)st.st_size + 63) & ~UINT64_C(63);
	header.e_shnum = 0xff00;
	for (unsigned int i = 0; i < header.e_shnum; i++)
		write_at(f, (off_t)(header.e_shoff + i * sizeof(section)),
			 &section, sizeof(section));
	write_at(f, 0, &header, sizeof(header));
	assert_int_equal(image_open(&image, f->path), 0);
	assert_int_equal(image.section_count, 0xff00);
	content = content_of(&image);
	assert_false(content_is_known(&content));
	image_close(&image);
	assert_int_equal(image_open_copy(&image, f->path), -EFBIG);
}

static void analyses_of_what_others_can_change_are_kept_apart(void **state)
{
	const struct fixture *f = *state;
	struct arena arena = { 0 };
	struct analysis analysis;
	char path[96];

	assert_int_equal(chmod(f->path, 0666), 0);
	assert_int_equal(
		analysis_of_file(f->path, f->folder, &arena, &analysis), 0);
	assert_false(analysis.from_cache);
	snprintf(path, sizeof(path), "%s/others", f->folder);
	assert_int_equal(access(path, X_OK), 0);
	assert_int_equal(
		analysis_of_file(f->path, f->folder, &arena, &analysis), 0);
	assert_true(analysis.from_cache);
	/* the same bytes in a file that only its owner can change */
	assert_int_equal(chmod(f->path, 0644), 0);
	assert_int_equal(
		analysis_of_file(f->path, f->folder, &arena, &analysis), 0);
	assert_false(analysis.from_cache);
	arena_fini(&arena);
}

#define COPY_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COPY_TEST(a_copy_has_the_content_of_its_file),
		COPY_TEST(a_copy_outlives_changes_of_its_file),
		COPY_TEST(only_files_that_others_can_change_are_copied),
		COPY_TEST(a_file_cut_anywhere_does_no_harm),
		COPY_TEST(a_file_that_repeats_itself_is_not_hashed_for_long),
		COPY_TEST(analyses_of_what_others_can_change_are_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
