/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/patch/pristine.c: mapped bytes equal the file's, until the
 * file or the mapping is written to.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "machine/address_space.h"
#include "preload/patch/pristine.h"

#define PAGES     1200 /* more pages than one query covers */
#define DATA_AT   (PAGES * PAGE_BYTES)
#define FILE_TAIL PAGE_BYTES
#define END       ((uintptr_t)memory + DATA_AT)

static char path[] = "/tmp/clew-pristine-XXXXXX";
static int file = -1;
static struct arena arena;
static struct pristine pristine;
static ElfW(Phdr) segments[2];
static struct module module;
static uint8_t *memory;
static int must_read; /* reads /proc/self/maps, as before Linux 6.11 */

/* Waits until the file's change time is old enough to be trusted. */
static void settle(void)
{
	struct stat st;
	struct timespec now;

	assert_int_equal(fstat(file, &st), 0);
	do
		assert_int_equal(clock_gettime(CLOCK_REALTIME_COARSE, &now), 0);
	while (now.tv_sec < st.st_ctim.tv_sec + 2 &&
	       (!st.st_ctim.tv_nsec || (now.tv_sec == st.st_ctim.tv_sec &&
					now.tv_nsec <= st.st_ctim.tv_nsec)));
}

static void check_again(void)
{
	pristine_close(&pristine);
	pristine = (struct pristine){ 0 };
	assert_int_equal(pristine_open(&pristine, END, &arena), 0);
	if (must_read)
		assert_int_equal(pristine_read(&pristine, END, &arena), 0);
}

static int find(struct pristine_file *found)
{
	check_again();
	return pristine_find(&pristine, &module, found);
}

static int begin(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/clew-pristine-XXXXXX");
	file = mkstemp(path);
	if (file < 0 || ftruncate(file, DATA_AT + FILE_TAIL))
		return -1;
	memory = mmap(NULL, DATA_AT + FILE_TAIL, PROT_READ | PROT_EXEC,
		      MAP_PRIVATE, file, 0);
	if (memory == MAP_FAILED ||
	    mprotect(memory + DATA_AT, FILE_TAIL, PROT_READ | PROT_WRITE))
		return -1;
	segments[0] = (ElfW(Phdr)){ .p_type = PT_LOAD,
				    .p_flags = PF_R | PF_X,
				    .p_filesz = DATA_AT,
				    .p_memsz = DATA_AT };
	segments[1] = (ElfW(Phdr)){ .p_type = PT_LOAD,
				    .p_flags = PF_R | PF_W,
				    .p_vaddr = DATA_AT,
				    .p_offset = DATA_AT,
				    .p_filesz = FILE_TAIL,
				    .p_memsz = FILE_TAIL };
	module = (struct module){ .path = path,
				  .base = (uintptr_t)memory,
				  .segments = segments,
				  .segment_count = 2 };
	settle();
	return 0;
}

static int begin_to_read(void **state)
{
	must_read = 1;
	return begin(state);
}

static int end(void **state)
{
	(void)state;
	must_read = 0;
	pristine_close(&pristine);
	munmap(memory, DATA_AT + FILE_TAIL);
	close(file);
	unlink(path);
	arena_fini(&arena);
	return 0;
}

/* Writes to a page of code, like a debugger or a relocation. */
static void write_to_page(uint64_t page)
{
	uint8_t *at = memory + page * PAGE_BYTES;

	assert_int_equal(mprotect(at, PAGE_BYTES, PROT_READ | PROT_WRITE), 0);
	at[17] = 1;
	assert_int_equal(mprotect(at, PAGE_BYTES, PROT_READ | PROT_EXEC), 0);
}

static void variables_may_be_written_to(void **state)
{
	struct pristine_file found;

	(void)state;
	memory[DATA_AT] = 1;
	assert_int_equal(find(&found), 0);
	assert_int_equal(found.bytes, DATA_AT + FILE_TAIL);
	assert_int_equal(memory[5 * PAGE_BYTES], 0); /* read */
	assert_int_equal(find(&found), 0);
	assert_int_equal(pristine_written(&pristine, &module, NULL, 0), 0);
}

static void pages_that_were_written_to_are_found(void **state)
{
	static const uint64_t written[] = { 0, 511, 512, PAGES - 1 };
	struct pristine_file found;
	uint64_t pages[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		write_to_page(written[i]);
		assert_int_equal(find(&found), -ESTALE);
		assert_int_equal(pristine_written(&pristine, &module, pages, i),
				 -E2BIG);
	}
	assert_int_equal(pristine_written(&pristine, &module, pages, 4), 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pages[i],
				 (uintptr_t)memory + written[i] * PAGE_BYTES);
}

static void a_file_that_was_written_to_is_another(void **state)
{
	struct pristine_file before, after;

	(void)state;
	assert_int_equal(find(&before), 0);
	assert_int_equal(pwrite(file, "x", 1, 100), 1);
	assert_false(pristine_is_open_at(&before, file));
	settle();
	assert_int_equal(find(&after), 0);
	assert_false(pristine_is_same(&before, &after));
	assert_true(pristine_is_open_at(&after, file));
}

static void a_file_that_has_just_changed_is_not_known(void **state)
{
	struct pristine_file found;
	const struct timespec future[2] = { { .tv_nsec = UTIME_OMIT },
					    { .tv_nsec = UTIME_NOW } };
	int err, tries = 0;

	(void)state;
	/* usually within one clock tick */
	do {
		check_again();
		assert_int_equal(futimens(file, future), 0);
		err = pristine_find(&pristine, &module, &found);
	} while (!err && ++tries < 1000);
	assert_int_equal(err, -EAGAIN);
}

static void a_file_that_was_replaced_is_not_the_memorys(void **state)
{
	char other[64];
	struct pristine_file found;
	int fd;

	(void)state;
	snprintf(other, sizeof(other), "%s.new", path);
	fd = open(other, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, DATA_AT + FILE_TAIL), 0);
	assert_int_equal(rename(other, path), 0);
	close(file);
	file = fd;
	settle();
	assert_int_equal(find(&found), -ESTALE);
}

static void memory_of_nobody_or_elsewhere_in_the_file(void **state)
{
	struct pristine_file found;

	(void)state;
	segments[0].p_offset = PAGE_BYTES;
	assert_int_equal(find(&found), -ESTALE);
	segments[0].p_offset = 0;
	segments[0].p_flags |= PF_W;
	assert_int_equal(find(&found), -ESTALE);
	segments[0].p_flags &= ~(unsigned int)PF_W;
	assert_ptr_equal(mmap(memory + PAGE_BYTES, PAGE_BYTES,
			      PROT_READ | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 memory + PAGE_BYTES);
	assert_int_equal(find(&found), -ESTALE);
}

static int compare(void *fd, const struct mapped_range *mapping)
{
	struct mapped_range found = { 0 };
	const int err = mappings_find(*(int *)fd, mapping->end - 1, &found);

	if (err == -ENOTTY)
		return 1;
	if (mapping->start >= ADDRESS_END)
		return 0; /* vsyscall, which is not a mapping */
	assert_int_equal(err, 0);
	assert_memory_equal(&found, mapping, sizeof(found));
	return 0;
}

static void the_kernel_answers_what_it_lists(void **state)
{
	struct mapped_range none;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	if (mappings_each(compare, &fd)) {
		close(fd);
		skip(); /* before Linux 6.11 */
	}
	assert_int_equal(mappings_find(fd, 0, &none), -ENOENT);
	close(fd);
}

static void mappings_above_are_not_read(void **state)
{
	(void)state;
	check_again();
	for (uint32_t i = 0; i < pristine.count; i++)
		assert_true(pristine.mappings[i].start < END);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
#define TEST_READING(name)                                                     \
	{                                                                      \
#name " reading", name, begin_to_read, end, NULL               \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(variables_may_be_written_to),
		TEST(pages_that_were_written_to_are_found),
		TEST(a_file_that_was_written_to_is_another),
		TEST(a_file_that_has_just_changed_is_not_known),
		TEST(a_file_that_was_replaced_is_not_the_memorys),
		TEST(memory_of_nobody_or_elsewhere_in_the_file),
		TEST_READING(pages_that_were_written_to_are_found),
		TEST_READING(a_file_that_was_replaced_is_not_the_memorys),
		TEST_READING(memory_of_nobody_or_elsewhere_in_the_file),
		TEST_READING(mappings_above_are_not_read),
		TEST(the_kernel_answers_what_it_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
