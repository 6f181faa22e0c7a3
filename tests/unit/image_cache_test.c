/* SPDX-License-Identifier: MIT */
#include "disasm_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest/digest_links.h"
#include "image/analysis_cache.h"
#include "image/traits.h"
#include "wire/verdict.h"

struct fixture {
	char dir[32];
	char path[128];
	struct arena arena;
	struct wire_function functions[3];
	struct analysis analysis;
};

static const struct wire_function samples[3] = {
	{ 0x1000, 0x20, VERDICT_IS_JUMP, 4, 6, 0 },
	{ 0x1020, 0x03, VERDICT_IS_JUMP_PADDED, 0, 3, 0 },
	{ 0x1100, 0x40, VERDICT_IS_JUMP_SHORT, 0, 3, -7 },
};

/* Sets the path of the analysis, which is named after the file's digest. */
static void name_content(struct fixture *f)
{
	char digits[2 * DIGEST_BYTES + 1];

	digest_text(f->analysis.content.digest, DIGEST_BYTES, digits);
	snprintf(f->path, sizeof(f->path), "%s/%s.analysis", f->dir, digits);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/clew-cache-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	memcpy(f->functions, samples, sizeof(samples));
	f->analysis = (struct analysis){
		.functions = f->functions,
		.function_count = 3,
		.build_id_bytes = 4,
		.build_id = { 0xde, 0xad, 0x0b, 0xef },
		.content = { { 0xc1 } },
		.vaddr_start = 0x1000,
		.vaddr_end = 0x2000,
	};
	name_content(f);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	rmdir(f->dir);
	arena_fini(&f->arena);
	free(f);
	return 0;
}

static int load(struct fixture *f, struct analysis *out)
{
	*out = f->analysis;
	out->functions = NULL;
	out->function_count = 0;
	return analysis_cache_load(f->dir, &f->arena, out);
}

static void assert_ignored(struct fixture *f)
{
	struct analysis out;

	assert_true(load(f, &out) < 0);
	assert_null(out.functions);
	assert_false(out.from_cache);
}

static void store(struct fixture *f)
{
	assert_int_equal(analysis_cache_store(f->dir, &f->analysis), 0);
}

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
	FILE *file = fopen(path, "rb");
	size_t count = fread(bytes, 1, room, file);

	fclose(file);
	return count;
}

static void write_file(const char *path, const uint8_t *bytes, size_t count)
{
	FILE *file = fopen(path, "wb");

	assert_int_equal(fwrite(bytes, 1, count, file), count);
	fclose(file);
}

static void a_hit_equals_the_miss(void **state)
{
	struct fixture *f = *state;
	struct analysis out;

	assert_ignored(f);
	store(f);
	assert_int_equal(load(f, &out), 0);
	assert_true(out.from_cache);
	assert_int_equal(out.function_count, 3);
	assert_memory_equal(out.functions, samples, sizeof(samples));
}

static void the_file_is_private_and_alone(void **state)
{
	struct fixture *f = *state;
	struct dirent *entry;
	struct stat st;
	int files = 0;
	DIR *dir;

	store(f);
	store(f);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	dir = opendir(f->dir);
	while ((entry = readdir(dir)))
		files += entry->d_name[0] != '.';
	closedir(dir);
	assert_int_equal(files, 1);
}

static void a_file_truncated_at_each_length_is_ignored(void **state)
{
	struct fixture *f = *state;
	uint8_t bytes[512];
	size_t count;

	store(f);
	count = read_file(f->path, bytes, sizeof(bytes));
	for (size_t cut = 0; cut < count; cut++) {
		write_file(f->path, bytes, cut);
		assert_ignored(f);
	}
	write_file(f->path, bytes, count + 1);
	assert_ignored(f);
}

static void every_flipped_bit_is_seen(void **state)
{
	struct fixture *f = *state;
	uint8_t bytes[512];
	size_t count;

	store(f);
	count = read_file(f->path, bytes, sizeof(bytes));
	for (size_t bit = 0; bit < 8 * count; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		write_file(f->path, bytes, count);
		assert_ignored(f);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

static void unsound_records_are_ignored(void **state)
{
	static const struct wire_function unsound[] = {
		{ 0x0fff, 0x20, VERDICT_IS_JUMP, 0, 6,
		  0 },                                    /* before the text */
		{ 0x2000, 0, VERDICT_IS_NAMED, 0, 0, 0 }, /* after the text */
		{ 0x1ff0, 0x11, VERDICT_IS_NAMED, 0, 0,
		  0 }, /* beyond the end of the text */
		{ 0x1000, 0x20, VERDICT_COUNT, 0, 0, 0 },
		{ 0x1000, 0x20, VERDICT_IS_JUMP, 0, 0, 0 },
		{ 0x1000, 0x20, VERDICT_IS_NAMED, 0, 6, 0 },
		{ 0x1000, 0x05, VERDICT_IS_JUMP, 4, 6, 0 },
		{ 0x1000, 0x04, VERDICT_IS_JUMP, 0, 3, 0 },
		{ 0x1000, 0x20, VERDICT_IS_JUMP, 0x1c, 3, 0 },
		{ 0x101c, 0x04, VERDICT_IS_JUMP_PADDED, 0, 3, 0 },
		{ 0x1000, 0x20, VERDICT_IS_JUMP, 0, 6, 1 },
		{ 0x1000, 0x20, VERDICT_IS_JUMP_SHORT, 0, 3, 0 },
		{ 0x1000, 0x20, VERDICT_IS_JUMP_SHORT, 0, 3, -3 },
		{ 0x1020, 0x20, VERDICT_IS_JUMP, 0, 6, 0 }, /* not in order */
		{ 0x1030, 0x20, VERDICT_IS_JUMP, 0, 6, 0 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(unsound) / sizeof(unsound[0]); i++) {
		f->functions[0] = unsound[i];
		store(f);
		assert_ignored(f);
	}
}

static void a_file_of_another_module_is_ignored(void **state)
{
	struct fixture *f = *state;

	store(f);
	f->analysis.vaddr_end += 0x1000;
	assert_ignored(f);
}

static void traits_are_kept_and_unknown_ones_ignored(void **state)
{
	struct fixture *f = *state;
	struct analysis out;

	f->analysis.traits = TRAIT_OCAML | TRAIT_MAPPER;
	store(f);
	f->analysis.traits = 0;
	assert_int_equal(load(f, &out), 0);
	assert_int_equal(out.traits, TRAIT_OCAML | TRAIT_MAPPER);
	f->analysis.traits = TRAITS_KNOWN + 1;
	store(f);
	f->analysis.traits = 0;
	assert_ignored(f);
}

static void a_file_that_others_may_write_is_ignored(void **state)
{
	struct fixture *f = *state;

	store(f);
	chmod(f->path, 0620);
	assert_ignored(f);
	chmod(f->path, 0602);
	assert_ignored(f);
}

static void a_file_of_another_user_is_ignored(void **state)
{
	struct fixture *f = *state;

	store(f);
	if (chown(f->path, 1, (gid_t)-1))
		skip();
	assert_ignored(f);
}

static void symlinks_and_fifos_are_ignored(void **state)
{
	struct fixture *f = *state;
	char other[160];

	store(f);
	snprintf(other, sizeof(other), "%s.moved", f->path);
	assert_int_equal(rename(f->path, other), 0);
	assert_int_equal(symlink(other, f->path), 0);
	assert_ignored(f);
	store(f); /* replaces the link and keeps its target */
	unlink(f->path);
	unlink(other);
	assert_int_equal(mkfifo(f->path, 0600), 0);
	assert_ignored(f);
}

static void unknown_content_is_not_stored(void **state)
{
	struct fixture *f = *state;
	struct analysis out;

	assert_int_equal(analysis_cache_store(NULL, &f->analysis), -ENOENT);
	f->analysis.content = (struct content){ { 0 } };
	assert_int_equal(analysis_cache_store(f->dir, &f->analysis), -ENOENT);
	assert_int_equal(load(f, &out), -ENOENT);
}

static void analysis_without_build_id_is_stored(void **state)
{
	struct fixture *f = *state;
	struct analysis out;

	f->analysis.build_id_bytes = 0;
	memset(f->analysis.build_id, 0, sizeof(f->analysis.build_id));
	store(f);
	assert_int_equal(load(f, &out), 0);
	assert_memory_equal(out.functions, samples, sizeof(samples));
}

/* Anyone can write another program's build-id into a file. */
static void an_equal_build_id_does_not_make_content_equal(void **state)
{
	struct fixture *f = *state;

	store(f);
	f->analysis.content.digest[DIGEST_BYTES - 1] ^= 1;
	assert_ignored(f);
	f->analysis.content.digest[DIGEST_BYTES - 1] ^= 1;
}

static void a_file_under_the_name_of_another_content_is_ignored(void **state)
{
	struct fixture *f = *state;
	char other[128];

	store(f);
	strcpy(other, f->path);
	f->analysis.content.digest[0]++;
	name_content(f);
	assert_int_equal(rename(other, f->path), 0);
	assert_ignored(f);
}

static void an_unwritable_directory_costs_nothing(void **state)
{
	struct fixture *f = *state;
	char missing[64];

	snprintf(missing, sizeof(missing), "%s/missing", f->dir);
	errno = 42;
	assert_int_equal(analysis_cache_store(missing, &f->analysis), -ENOENT);
	assert_int_equal(errno, 42);
}

#define CACHE_TEST(test)                                                       \
	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CACHE_TEST(a_hit_equals_the_miss),
		CACHE_TEST(the_file_is_private_and_alone),
		CACHE_TEST(a_file_truncated_at_each_length_is_ignored),
		CACHE_TEST(every_flipped_bit_is_seen),
		CACHE_TEST(unsound_records_are_ignored),
		CACHE_TEST(a_file_of_another_module_is_ignored),
		CACHE_TEST(traits_are_kept_and_unknown_ones_ignored),
		CACHE_TEST(a_file_that_others_may_write_is_ignored),
		CACHE_TEST(a_file_of_another_user_is_ignored),
		CACHE_TEST(symlinks_and_fifos_are_ignored),
		CACHE_TEST(unknown_content_is_not_stored),
		CACHE_TEST(analysis_without_build_id_is_stored),
		CACHE_TEST(an_equal_build_id_does_not_make_content_equal),
		CACHE_TEST(a_file_under_the_name_of_another_content_is_ignored),
		CACHE_TEST(an_unwritable_directory_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
