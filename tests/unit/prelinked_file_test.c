/* SPDX-License-Identifier: MIT */
/*
 * Tests which files preload/stubs/prelinked_file.c accepts. The test
 * uses only the head of their contents.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/stubs/prelinked_file.h"

#define NAME  "00-0.prelinked"
#define BYTES (PRELINKED_FLAGS_AT + 8192)

static char path[] = "/tmp/clew-prelinked-XXXXXX";
static struct prelinked_folder folder;

static int begin(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/clew-prelinked-XXXXXX");
	if (!mkdtemp(path) || prelinked_folder_open(&folder, path))
		return -1;
	return 0;
}

static int end(void **state)
{
	(void)state;
	unlinkat(folder.fd, NAME, 0);
	unlinkat(folder.fd, NAME ".new", 0);
	unlinkat(folder.fd, "other", 0);
	prelinked_folder_close(&folder);
	return rmdir(path);
}

static int start(struct prelinked_writing *writing)
{
	int err = prelinked_file_begin(writing, &folder, NAME, PRELINKED_STUBS,
				       BYTES);

	if (!err)
		writing->head.stubs_at = PRELINKED_FLAGS_AT;
	return err;
}

static void keep(void)
{
	struct prelinked_writing writing;

	assert_int_equal(start(&writing), 0);
	assert_int_equal(
		prelinked_file_write(&writing, "stub", 4, PRELINKED_FLAGS_AT),
		0);
	assert_int_equal(prelinked_file_commit(&writing), 0);
}

static int look(void)
{
	struct prelinked_head head;
	int fd = prelinked_file_open(&folder, NAME, PRELINKED_STUBS, &head);

	if (fd < 0)
		return fd;
	assert_int_equal(head.stubs_at, PRELINKED_FLAGS_AT);
	close(fd);
	return 0;
}

/* Opens the file for writing, as its owner can despite its mode. */
static int open_to_change(void)
{
	int fd;

	assert_int_equal(fchmodat(folder.fd, NAME, 0600, 0), 0);
	fd = openat(folder.fd, NAME, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0400), 0);
	return fd;
}

static void a_stored_file_is_accepted(void **state)
{
	(void)state;
	assert_int_equal(look(), -ENOENT);
	keep();
	assert_int_equal(look(), 0);
	keep();
	assert_int_equal(look(), 0);
}

static void a_file_that_others_may_write_is_rejected(void **state)
{
	static const mode_t modes[] = { 0600, 0420, 0402, 0700, 0444, 04400 };

	(void)state;
	keep();
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		assert_int_equal(fchmodat(folder.fd, NAME, modes[i], 0), 0);
		assert_int_equal(look(), -EPERM);
	}
	assert_int_equal(fchmodat(folder.fd, NAME, 0400, 0), 0);
	assert_int_equal(look(), 0);
}

static void a_file_under_another_name_is_rejected(void **state)
{
	(void)state;
	keep();
	assert_int_equal(linkat(folder.fd, NAME, folder.fd, "other", 0), 0);
	assert_int_equal(look(), -EPERM);
	assert_int_equal(unlinkat(folder.fd, "other", 0), 0);
	assert_int_equal(look(), 0);
	assert_int_equal(renameat(folder.fd, NAME, folder.fd, "other"), 0);
	assert_int_equal(symlinkat("other", folder.fd, NAME), 0);
	assert_int_equal(look(), -ELOOP);
}

static void a_file_of_another_user_is_rejected(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	keep();
	assert_int_equal(fchownat(folder.fd, NAME, 65534, 0, 0), 0);
	assert_int_equal(look(), -EPERM);
	/* other users reject files of root */
	assert_int_equal(fchownat(folder.fd, NAME, 0, 0, 0), 0);
	assert_int_equal(look(), 0);
	assert_int_equal(fchmodat(folder.fd, ".", 0755, 0), 0);
	if (fork() == 0) {
		struct prelinked_folder seen = { 0 };

		if (setresuid(65534, 65534, 65534))
			_exit(2);
		_exit(prelinked_folder_open(&seen, path) == -EPERM ? 0 : 1);
	}
	int status;

	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
}

static void a_link_or_folder_is_rejected(void **state)
{
	(void)state;
	assert_int_equal(mkfifoat(folder.fd, NAME, 0400), 0);
	assert_int_equal(look(), -EBADMSG);
	assert_int_equal(unlinkat(folder.fd, NAME, 0), 0);
	assert_int_equal(mkdirat(folder.fd, NAME, 0400), 0);
	assert_int_equal(look(), -EBADMSG);
	assert_int_equal(unlinkat(folder.fd, NAME, AT_REMOVEDIR), 0);
}

/* A later write of a single byte, anywhere in the file, is detected. */
static void any_later_write_is_noticed(void **state)
{
	static const off_t places[] = { 0, PRELINKED_FLAGS_AT, BYTES - 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		int fd;

		keep();
		fd = open_to_change();
		assert_int_equal(look(), 0);
		assert_int_equal(pwrite(fd, "", 1, places[i]), 1);
		assert_int_equal(look(), -EBADMSG);
		close(fd);
	}
}

static void a_cut_or_lengthened_file_is_rejected(void **state)
{
	(void)state;
	for (off_t bytes = 0; bytes <= BYTES + 1; bytes += BYTES / 16 + 1) {
		int fd;

		keep();
		fd = open_to_change();
		assert_int_equal(ftruncate(fd, bytes), 0);
		assert_int_equal(look(), -EBADMSG);
		close(fd);
	}
}

/* The copy has the same content and the same times. */
static void a_copy_is_rejected(void **state)
{
	static char bytes[BYTES];
	struct timespec times[2];
	struct stat st;
	int from, to;

	(void)state;
	keep();
	from = openat(folder.fd, NAME, O_RDONLY | O_CLOEXEC);
	to = openat(folder.fd, "other", O_WRONLY | O_CREAT | O_CLOEXEC, 0400);
	assert_int_equal(read(from, bytes, BYTES), BYTES);
	assert_int_equal(write(to, bytes, BYTES), BYTES);
	assert_int_equal(fstat(from, &st), 0);
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	assert_int_equal(futimens(to, times), 0);
	assert_int_equal(renameat(folder.fd, "other", folder.fd, NAME), 0);
	assert_int_equal(look(), -EPERM);
	close(from);
	close(to);
}

/* After a crash of the system, the file may have holes. */
static void a_file_of_another_boot_is_rejected(void **state)
{
	char boot[PRELINKED_BOOT_BYTES];

	(void)state;
	keep();
	memcpy(boot, folder.boot, sizeof(boot));
	folder.boot[0] ^= 1;
	assert_int_equal(look(), -EPERM);
	memcpy(folder.boot, boot, sizeof(boot));
	assert_int_equal(look(), 0);
}

/* Bits may change on a disk without a new change time. */
static void every_changed_bit_of_the_header_is_noticed(void **state)
{
	struct prelinked_head head, damaged;
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	int fd;

	(void)state;
	keep();
	fd = open_to_change();
	assert_int_equal(pread(fd, &head, sizeof(head), PRELINKED_HEAD_AT),
			 sizeof(head));
	times[1] = (struct timespec){ head.seal_s, head.seal_ns };
	for (size_t bit = 0; bit < 8 * sizeof(head); bit++) {
		damaged = head;
		((uint8_t *)&damaged)[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(pwrite(fd, &damaged, sizeof(damaged),
					PRELINKED_HEAD_AT),
				 sizeof(damaged));
		assert_int_equal(futimens(fd, times), 0);
		assert_int_equal(look(), -EBADMSG);
	}
	assert_int_equal(pwrite(fd, &head, sizeof(head), PRELINKED_HEAD_AT),
			 sizeof(head));
	assert_int_equal(futimens(fd, times), 0);
	assert_int_equal(look(), 0); /* otherwise the test shows nothing */
	close(fd);
}

static void a_folder_that_others_may_write_is_not_used(void **state)
{
	struct prelinked_folder seen = { 0 };

	(void)state;
	assert_int_equal(fchmod(folder.fd, 0720), 0);
	assert_int_equal(prelinked_folder_open(&seen, path), -EPERM);
	assert_int_equal(fchmod(folder.fd, 0702), 0);
	assert_int_equal(prelinked_folder_open(&seen, path), -EPERM);
	assert_int_equal(prelinked_folder_open(&seen, "/proc/self"), -EPERM);
	assert_int_equal(prelinked_folder_open(&seen, "/nonsuch"), -ENOENT);
	assert_false(seen.is_open);
}

static void one_process_at_a_time_writes(void **state)
{
	struct prelinked_writing first, second;

	(void)state;
	assert_int_equal(start(&first), 0);
	assert_int_equal(start(&second), -EBUSY);
	assert_int_equal(look(), -ENOENT);
	assert_int_equal(prelinked_file_commit(&first), 0);
	assert_int_equal(look(), 0);
}

/*
 * A writer that waits for the lock of a new file may get it when that file is
 * already in place.
 */
static void a_file_that_is_in_place_is_not_written_to(void **state)
{
	struct prelinked_writing first, second;
	int fd;

	(void)state;
	assert_int_equal(start(&first), 0);
	fd = openat(folder.fd, NAME ".new", O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(prelinked_file_commit(&first), 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(start(&second), 0);
	prelinked_file_revert(&second);
	assert_int_equal(look(), 0);
	close(fd);
}

/* The writer is killed at each point. */
static void a_killed_writer_leaves_no_accepted_file(void **state)
{
	int status;

	(void)state;
	for (int point = 0; point < 3; point++) {
		if (fork() == 0) {
			struct prelinked_writing writing;

			if (start(&writing))
				_exit(1);
			if (point > 0)
				prelinked_file_write(&writing, &status, 4, 0);
			if (point > 1)
				prelinked_file_write(&writing, &writing.head,
						     sizeof(writing.head),
						     PRELINKED_HEAD_AT);
			raise(SIGKILL);
		}
		assert_true(wait(&status) > 0);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(look(), -ENOENT);
		assert_int_equal(faccessat(folder.fd, NAME ".new", F_OK, 0), 0);
	}
	keep();
	assert_int_equal(look(), 0);
	assert_int_equal(faccessat(folder.fd, NAME ".new", F_OK, 0), -1);
}

/* The process also gets no SIGXFSZ, which would kill it. */
static void a_full_disk_leaves_no_file(void **state)
{
	const struct rlimit tight = { BYTES - 1, RLIM_INFINITY };
	struct prelinked_writing writing;
	struct rlimit before;
	int err;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	err = start(&writing);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(faccessat(folder.fd, NAME ".new", F_OK, 0), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stored_file_is_accepted),
		TEST(a_file_that_others_may_write_is_rejected),
		TEST(a_file_under_another_name_is_rejected),
		TEST(a_file_of_another_user_is_rejected),
		TEST(a_link_or_folder_is_rejected),
		TEST(any_later_write_is_noticed),
		TEST(a_cut_or_lengthened_file_is_rejected),
		TEST(a_copy_is_rejected),
		TEST(a_file_of_another_boot_is_rejected),
		TEST(every_changed_bit_of_the_header_is_noticed),
		TEST(a_folder_that_others_may_write_is_not_used),
		TEST(one_process_at_a_time_writes),
		TEST(a_file_that_is_in_place_is_not_written_to),
		TEST(a_killed_writer_leaves_no_accepted_file),
		TEST(a_full_disk_leaves_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
