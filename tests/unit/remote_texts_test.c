/* SPDX-License-Identifier: MIT */
/*
 * Tests of the texts that clew writes to a stopped process and restores
 * (cli/attach/remote_texts.h).
 */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/attach/remote_texts.h"
#include "cli/target/target.h"

#define START      UINT64_C(0x10000) /* start of the range of addresses */
#define BYTES      0x4000
#define TEXTS_AT   (START + 0x3000)
#define CODE_AT    (START + 0x1000)
#define FIRST_AT   (CODE_AT + 0x10)
#define ACROSS_AT  (CODE_AT + 0xffe) /* a hook on two pages */
#define JUMP_BYTES 5
#define HOST_BYTES 10

static uint8_t process[BYTES];

static uint8_t *at(uint64_t address)
{
	return process + (address - START);
}

int target_read(int memory, uint64_t from, void *out, size_t bytes)
{
	if (from < START || from + bytes > START + BYTES)
		return -EIO;
	memcpy(out, at(from), bytes);
	return 0;
}

static int writes;

int target_write(int memory, uint64_t to, const void *bytes, size_t count)
{
	writes++;
	if (to < START || to + count > START + BYTES)
		return -EIO;
	memcpy(at(to), bytes, count);
	return 0;
}

static struct remote_texts texts;

static struct wire_text text(uint64_t address, uint8_t bytes,
			     const char *before, const char *after)
{
	struct wire_text one = { .at = address, .bytes = bytes };

	memcpy(one.before, before, bytes);
	memcpy(one.after, after, bytes);
	return one;
}

/*
 * Plans a hook whose function has become another hook's host, and a hook on two
 * pages.
 */
static int plan(void **state)
{
	const struct wire_text all[] = {
		text(FIRST_AT, JUMP_BYTES, "first", "FIRST"),
		text(ACROSS_AT, JUMP_BYTES, "cross", "CROSS"),
		text(FIRST_AT, HOST_BYTES, "firstguest", "FIRSTGUEST"),
	};
	const struct wire_attachment attachment = {
		.texts = TEXTS_AT,
		.text_count = sizeof(all) / sizeof(*all),
	};

	memset(process, 0xcc, sizeof(process));
	memcpy(at(TEXTS_AT), all, sizeof(all));
	memcpy(at(FIRST_AT), "firstguest", HOST_BYTES);
	memcpy(at(ACROSS_AT), "cross", JUMP_BYTES);
	return remote_texts_plan(0, &attachment, &texts);
}

static int forget(void **state)
{
	remote_texts_free(&texts);
	return 0;
}

static void assert_stands(const char *first, const char *across)
{
	assert_memory_equal(at(FIRST_AT), first, HOST_BYTES);
	assert_memory_equal(at(ACROSS_AT), across, JUMP_BYTES);
}

static int write_all(uint64_t *where)
{
	const int err = remote_texts_write_fronts(0, &texts, where);

	return err ? err : remote_texts_write_hooks(0, &texts, 0);
}

static void written_hooks_are_restored(void **state)
{
	uint64_t where;

	assert_int_equal(write_all(&where), 0);
	assert_stands("FIRSTGUEST", "CROSS");
	assert_int_equal(remote_texts_restore(0, &texts), 0);
	assert_stands("firstguest", "cross");
}

static void pages_that_are_right_already_are_not_written(void **state)
{
	uint64_t where;

	assert_int_equal(remote_texts_write_fronts(0, &texts, &where), 0);
	memcpy(at(FIRST_AT), "FIRSTGUEST", HOST_BYTES);
	memcpy(at(ACROSS_AT), "CROSS", JUMP_BYTES);
	writes = 0;
	assert_int_equal(remote_texts_write_hooks(0, &texts, 1), 0);
	assert_int_equal(writes, 0);
	assert_stands("FIRSTGUEST", "CROSS");
	*at(ACROSS_AT) = 'c';
	assert_int_equal(remote_texts_write_hooks(0, &texts, 1), 0);
	assert_stands("FIRSTGUEST", "CROSS");
	assert_int_equal(remote_texts_restore(0, &texts), 0);
	writes = 0;
	assert_int_equal(remote_texts_restore(0, &texts), 0);
	assert_int_equal(writes, 0);
}

static void nothing_is_written_over_what_is_not_expected(void **state)
{
	uint64_t where = 0;

	memcpy(at(ACROSS_AT), "other", JUMP_BYTES);
	assert_int_equal(write_all(&where), -ETXTBSY);
	assert_int_equal(where, ACROSS_AT);
	assert_stands("firstguest", "other");
}

static void later_writes_of_the_program_stay(void **state)
{
	uint64_t where;

	assert_int_equal(write_all(&where), 0);
	memcpy(at(ACROSS_AT), "CROtH", JUMP_BYTES);
	assert_int_equal(remote_texts_restore(0, &texts), 0);
	assert_stands("firstguest", "CROtH");
	assert_int_equal(write_all(&where), -ETXTBSY);
	memcpy(at(FIRST_AT), "F****GUEST", HOST_BYTES);
	assert_int_equal(remote_texts_unhook(0, &texts), 0);
	assert_stands("F****GUEST", "CROtH");
}

/* As if the writer had been killed between two pages. */
static void half_written_hooks_are_restored(void **state)
{
	memcpy(at(FIRST_AT), "FIRSTguest", HOST_BYTES);
	memcpy(at(ACROSS_AT), "CRoss", JUMP_BYTES);
	assert_int_equal(remote_texts_restore(0, &texts), 0);
	assert_stands("firstguest", "cross");
}

/* While a worker exists, each write would copy a page. */
static void no_child_inherits_the_copy_of_the_code(void **state)
{
	unsigned char pages[BYTES / 0x1000];
	const pid_t child = fork();
	int status;

	(void)state;
	if (child == 0)
		_exit(mincore(texts.pages, 1, pages) != 0 && errno == ENOMEM
			      ? 0
			      : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, plan, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(written_hooks_are_restored),
		CLAIM(pages_that_are_right_already_are_not_written),
		CLAIM(nothing_is_written_over_what_is_not_expected),
		CLAIM(later_writes_of_the_program_stay),
		CLAIM(half_written_hooks_are_restored),
		CLAIM(no_child_inherits_the_copy_of_the_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
