/* SPDX-License-Identifier: MIT */
/*
 * Tests of code.c and of patch_commit(). The test's own pages of functions are
 * the text of a module that has a segment for each page.
 */
#include "preload/patch/code.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/patch/patch.h"
#include "tests/unit/unit.h"

#define PAGES                 2
#define REFUSE_EXECUTION_GAIN 65 /* PR_SET_MDWE, since Linux 6.3 */
#define TOGGLES               2000

/* The function in each page: mov $NUMBER,%eax; ret */
static const uint8_t function[] = { 0xb8, 1, 0, 0, 0, 0xc3 };

static uint8_t *text; /* PAGES pages */
static ElfW(Phdr) segments[PAGES];
static struct module module;

static int make_text(void **state)
{
	text = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (text == MAP_FAILED)
		return -1;
	for (int i = 0; i < PAGES; i++) {
		memcpy(text + i * PAGE_BYTES, function, sizeof(function));
		segments[i] = (ElfW(Phdr)){ .p_type = PT_LOAD,
					    .p_flags = PF_R | PF_X,
					    .p_vaddr = i * PAGE_BYTES,
					    .p_memsz = PAGE_BYTES };
	}
	module = (struct module){ .base = (uintptr_t)text,
				  .segments = segments,
				  .segment_count = PAGES };
	return mprotect(text, PAGES * PAGE_BYTES, PROT_READ | PROT_EXEC);
}

static int unmap_text(void **state)
{
	return munmap(text, PAGES * PAGE_BYTES);
}

static uint64_t number_pc(int page)
{
	return (uintptr_t)text + page * PAGE_BYTES + 1;
}

static int number_of(int page)
{
	int (*of)(void);
	const uint8_t *at = text + page * PAGE_BYTES;

	memcpy(&of, &at, sizeof(of));
	return of();
}

static int is_mapped_as(int page, const char *protection)
{
	const uint64_t pc = number_pc(page);
	unsigned long start, end;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], found[5] = "";

	while (maps && !*found && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %4s", &start, &end, found) != 3 ||
		    pc < start || pc >= end)
			*found = '\0';
	if (maps)
		fclose(maps);
	return !strcmp(found, protection);
}

static void write_number(struct code_writer *writer, int page, uint8_t number)
{
	assert_int_equal(code_write(writer, number_pc(page), &number, 1), 0);
}

static void idle_code_is_writable_instead_of_executable(void **state)
{
	struct code_writer writer;

	assert_int_equal(code_open(&writer, CODE_IS_IDLE, &module), 0);
	for (int i = 0; i < PAGES; i++) {
		assert_true(is_mapped_as(i, "rw-p"));
		write_number(&writer, i, 7);
	}
	assert_int_equal(code_barrier(&writer), 0);
	assert_int_equal(code_close(&writer), 0);
	for (int i = 0; i < PAGES; i++) {
		assert_true(is_mapped_as(i, "r-xp"));
		assert_int_equal(number_of(i), 7);
	}
}

/* Runs in a child, because the restriction cannot be removed. */
static int write_without_gain(void)
{
	const uint8_t number = 7;
	struct code_writer writer;
	int is_right;

	if (prctl(REFUSE_EXECUTION_GAIN, 1, 0, 0, 0))
		return 77;
	is_right = !code_open(&writer, CODE_IS_IDLE, &module) &&
		   is_mapped_as(0, "r-xp") &&
		   !code_write(&writer, number_pc(0), &number, 1) &&
		   !code_barrier(&writer) && !code_close(&writer) &&
		   is_mapped_as(0, "r-xp") && number_of(0) == 7;
	return !is_right;
}

static void idle_code_that_must_stay_executable_does(void **state)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(write_without_gain());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Unmaps the module's second segment. */
static void lose_second_segment(void)
{
	munmap(text + PAGE_BYTES, PAGE_BYTES);
}

static void a_segment_that_cannot_be_writable_leaves_all_executable(
	void **state)
{
	struct code_writer writer;

	lose_second_segment();
	assert_int_equal(code_open(&writer, CODE_IS_IDLE, &module), 0);
	assert_true(is_mapped_as(0, "r-xp"));
	write_number(&writer, 0, 7);
	assert_int_equal(code_barrier(&writer), 0);
	assert_int_equal(code_close(&writer), 0);
	assert_int_equal(number_of(0), 7);
}

static struct patch_site site_of(int page)
{
	struct patch_site site = { .text = { .pc = number_pc(page),
					     .bytes = 1,
					     .before = { 1 },
					     .after = { 7 } } };

	return site;
}

/* A patch for each page, of one module. */
static struct patch_site sites[PAGES];
static struct patch patches[PAGES];

static int commit_two_patches(void)
{
	for (int i = 0; i < PAGES; i++) {
		sites[i] = site_of(i);
		patches[i] = (struct patch){ .module = &module,
					     .sites = &sites[i],
					     .site_count = 1 };
	}
	patches[0].next_of_module = &patches[1];
	return patch_commit(patches);
}

static void patches_of_a_module_are_committed_together(void **state)
{
	assert_int_equal(commit_two_patches(), 0);
	for (int i = 0; i < PAGES; i++) {
		assert_true(patches[i].is_written);
		assert_int_equal(number_of(i), 7);
	}
}

static void failed_commit_writes_no_patch(void **state)
{
	lose_second_segment();
	assert_int_not_equal(commit_two_patches(), 0);
	assert_false(patches[0].is_written);
	assert_true(is_mapped_as(0, "r-xp"));
	assert_int_equal(number_of(0), 1);
}

static struct {
	_Atomic int is_over;
	_Atomic uint64_t calls;
	_Atomic int last;
} caller;

static void *call_on(void *argument)
{
	while (!caller.is_over) {
		caller.last = number_of(0);
		caller.calls++;
	}
	return NULL;
}

static void wait_for_call(void)
{
	/* The caller has completed a call that began after this line. */
	const uint64_t enough = caller.calls + 2;

	while (caller.calls < enough)
		;
}

static void live_code_stays_executable_and_changes_at_the_barrier(void **state)
{
	struct code_writer writer;
	pthread_t thread;

	assert_int_equal(code_open(&writer, CODE_IS_LIVE, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, call_on, NULL), 0);
	for (int i = 0; i < TOGGLES; i++) {
		const uint8_t number = 2 + i % 2;

		write_number(&writer, 0, number);
		assert_int_equal(code_barrier(&writer), 0);
		wait_for_call();
		assert_int_equal(caller.last, number);
	}
	assert_true(is_mapped_as(0, "r-xp"));
	caller.is_over = 1;
	pthread_join(thread, NULL);
	assert_int_equal(code_close(&writer), 0);
}

static void a_live_module_is_never_made_writable(void **state)
{
	struct code_writer writer;

	assert_int_equal(code_open(&writer, CODE_IS_LIVE, &module), 0);
	write_number(&writer, 0, 7);
	assert_true(is_mapped_as(0, "r-xp"));
	assert_int_equal(number_of(0), 1);
	assert_int_equal(code_barrier(&writer), 0);
	assert_int_equal(number_of(0), 7);
	assert_int_equal(code_close(&writer), 0);
}

/* Writes a byte in each page. */
static void only_the_page_being_written_is_both(void **state)
{
	struct code_writer writer;

	assert_int_equal(code_open(&writer, CODE_IS_BOTH, NULL), 0);
	for (int i = 0; i < PAGES; i++) {
		write_number(&writer, i, 7);
		assert_true(is_mapped_as(i, "rwxp"));
		assert_true(is_mapped_as(!i, "r-xp"));
		assert_int_equal(number_of(i), 7);
	}
	assert_int_equal(code_barrier(&writer), 0);
	assert_true(is_mapped_as(1, "r-xp"));
	assert_int_equal(code_close(&writer), 0);
}

static void code_across_two_pages_is_written_to_both(void **state)
{
	static const enum code_use uses[] = { CODE_IS_IDLE, CODE_IS_LIVE,
					      CODE_IS_BOTH };
	uint8_t *const seam = text + PAGE_BYTES - 2;

	for (uint8_t i = 0; i < 3; i++) {
		const uint8_t bytes[] = { i, i, 0xb8, (uint8_t)(i + 1) };
		struct code_writer writer;

		assert_int_equal(code_open(&writer, uses[i], &module), 0);
		assert_int_equal(code_write(&writer, (uintptr_t)seam, bytes, 4),
				 0);
		assert_int_equal(code_barrier(&writer), 0);
		assert_int_equal(code_close(&writer), 0);
		assert_memory_equal(seam, bytes, sizeof(bytes));
		assert_int_equal(number_of(1), i + 1);
	}
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, make_text, unmap_text)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(idle_code_is_writable_instead_of_executable),
		CLAIM(idle_code_that_must_stay_executable_does),
		CLAIM(a_segment_that_cannot_be_writable_leaves_all_executable),
		CLAIM(patches_of_a_module_are_committed_together),
		CLAIM(failed_commit_writes_no_patch),
		CLAIM(live_code_stays_executable_and_changes_at_the_barrier),
		CLAIM(a_live_module_is_never_made_writable),
		CLAIM(only_the_page_being_written_is_both),
		CLAIM(code_across_two_pages_is_written_to_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
