/* SPDX-License-Identifier: MIT */
/*
 * Tests of the system calls that a worker may and may not make
 * (symbolizer/indexer/confinement.h, worker.h).
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbolizer/indexer/worker.h"

#define LIMITS                                                                 \
	{                                                                      \
		.seconds = 20, .bytes = UINT64_C(1) << 30, .is_silent = 1      \
	}

static char folder[] = "/tmp/clew-confinement-XXXXXX";

/*
 * Returns from a worker the number of the first claim that is false, as an
 * error.
 */
#define CLAIM(number, is_true)                                                 \
	do {                                                                   \
		if (!(is_true))                                                \
			return -(number);                                      \
	} while (0)

static int is_refused(long result)
{
	return result < 0 && errno == EPERM;
}

static int only_reads(const void *request, int fd)
{
	char *const none[] = { NULL };
	char byte;
	int file;

	(void)request;
	CLAIM(1, is_refused(open("/dev/null", O_WRONLY)));
	CLAIM(2,
	      is_refused(open("/tmp/clew-confined", O_RDWR | O_CREAT, 0600)));
	CLAIM(3, is_refused(socket(AF_UNIX, SOCK_STREAM, 0)));
	CLAIM(4, is_refused(execve("/bin/true", none, none)));
	CLAIM(5, is_refused(kill(getppid(), 0)));
	CLAIM(6, is_refused(syscall(SYS_ptrace, 16, (long)getppid(), 0, 0)));
	CLAIM(7, is_refused(fork()));
	CLAIM(8, mmap(NULL, 4096, PROT_READ | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	file = open("/proc/self/exe", O_RDONLY);
	CLAIM(9, file >= 0 && read(file, &byte, 1) == 1);
	CLAIM(10, write(fd, "x", 1) == 1);
	return 0;
}

static void a_worker_reads_and_writes_its_answer_only(void **state)
{
	const struct worker_limits limits = LIMITS;
	char why[WORKER_WHY_BYTES] = "";
	int fd = memfd_create("answer", MFD_CLOEXEC);
	struct stat status;

	(void)state;
	assert_int_equal(worker_run(&limits, only_reads, NULL, fd, why), 0);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_size, 1);
	close(fd);
}

static int has_descriptors(const void *request, int fd)
{
	(void)request;
	for (int i = STDERR_FILENO + 1; i < 1024; i++)
		CLAIM(1, i == fd || lseek(i, 0, SEEK_CUR) < 0);
	CLAIM(2, fd < 0 || lseek(fd, 0, SEEK_CUR) == 0);
	return 0;
}

static void a_worker_has_no_descriptor_but_its_own(void **state)
{
	const struct worker_limits limits = LIMITS;
	char why[WORKER_WHY_BYTES] = "";
	int others[4], fd;

	(void)state;
	for (int i = 0; i < 4; i++)
		others[i] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	fd = others[1];
	assert_int_equal(worker_run(&limits, has_descriptors, NULL, fd, why),
			 0);
	assert_int_equal(worker_run(&limits, has_descriptors, NULL, -1, why),
			 0);
	for (int i = 0; i < 4; i++)
		close(others[i]);
}

static int writes_below(const void *request, int fd)
{
	char path[128];
	int file;

	(void)request;
	(void)fd;
	snprintf(path, sizeof(path), "%s/file", folder);
	file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	CLAIM(1, file >= 0 && write(file, "x", 1) == 1);
	CLAIM(2, unlink(path) == 0);
	CLAIM(3, open("/tmp/clew-confined", O_WRONLY | O_CREAT, 0600) < 0);
	CLAIM(4, open("/proc/self/exe", O_RDONLY) >= 0);
	return 0;
}

static void a_worker_writes_below_its_folders_only(void **state)
{
	const char *const folders[] = { folder, NULL };
	struct worker_limits limits = LIMITS;
	char why[WORKER_WHY_BYTES] = "";

	(void)state;
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1U) < 0)
		skip();
	assert_non_null(mkdtemp(folder));
	limits.writable = folders;
	assert_int_equal(worker_run(&limits, writes_below, NULL, -1, why), 0);
	rmdir(folder);
}

static int aborts(const void *request, int fd)
{
	(void)request;
	(void)fd;
	abort();
}

static int waits(const void *request, int fd)
{
	(void)request;
	(void)fd;
	signal(SIGALRM, SIG_IGN);
	for (;;)
		sleep(1000);
	return 0;
}

static void a_worker_that_aborts_or_waits_is_said_to(void **state)
{
	struct worker_limits limits = LIMITS;
	char why[WORKER_WHY_BYTES] = "";

	(void)state;
	assert_int_equal(worker_run(&limits, aborts, NULL, -1, why), -ECHILD);
	assert_non_null(strstr(why, "Abort"));
	limits.seconds = 1;
	assert_int_equal(worker_run(&limits, waits, NULL, -1, why), -ECHILD);
	assert_non_null(strstr(why, "more than 3 s"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_reads_and_writes_its_answer_only),
		cmocka_unit_test(a_worker_has_no_descriptor_but_its_own),
		cmocka_unit_test(a_worker_writes_below_its_folders_only),
		cmocka_unit_test(a_worker_that_aborts_or_waits_is_said_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
