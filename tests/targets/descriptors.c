/* SPDX-License-Identifier: MIT */
/*
 * descriptors MODE: checks its descriptors while it calls functions in ever
 * more contexts, so that clew must repeatedly extend its recording.
 *
 *	list	prints the open descriptors: at the start, later, in a forked
 *		child and in an executed program
 *	numbers	a thread compares the numbers that it gets; prints how many
 *		were not the lowest free one
 *	seize	a thread closes descriptors that it did not open, and opens its
 *		own file under their numbers; prints whether that is unchanged
 *	full	fills its table, then forks; prints the results of both
 *
 * The other modes call functions after an event that takes rights away.
 *
 *	closed	every descriptor except the first three is closed
 *	root	it has another root directory
 *	user	it is another user (these two need root)
 *	limit	files may have at most one page
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FD_MAX     4096
#define LEVELS     15 /* 65534 contexts */
#define FILE_BYTES 14000

static atomic_int is_done;

/* ---- Work: a tree of contexts ---- */

static int walk(int levels, unsigned int turns);

static __attribute__((noinline)) int left(int levels, unsigned int turns)
{
	__asm__ volatile("" ::: "memory");
	return walk(levels - 1, turns >> 1) + 1;
}

static __attribute__((noinline)) int right(int levels, unsigned int turns)
{
	__asm__ volatile("" ::: "memory");
	return walk(levels - 1, turns >> 1) + 2;
}

static __attribute__((noinline)) int walk(int levels, unsigned int turns)
{
	__asm__ volatile("" ::: "memory");
	if (!levels)
		return 0;
	return turns & 1 ? right(levels, turns) : left(levels, turns);
}

static long work(int levels)
{
	long sum = 0;

	for (unsigned int turns = 0; turns < 1u << levels; turns++)
		sum += walk(levels, turns);
	return sum;
}

static void *work_beside(void *unused)
{
	(void)unused;
	work(LEVELS);
	is_done = 1;
	return NULL;
}

/* ---- list ---- */

static void print_open(const char *when)
{
	printf("%s:", when);
	for (int fd = 0; fd < FD_MAX; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf(" %d", fd);
	printf("\n");
	fflush(stdout);
}

static int list(char **argv)
{
	print_open("start");
	work(LEVELS);
	print_open("later");
	if (!fork()) {
		print_open("child");
		work(LEVELS);
		print_open("later child");
		execl("/proc/self/exe", argv[0], "list-last", NULL);
		_exit(1);
	}
	wait(NULL);
	print_open("end");
	return 0;
}

/* ---- numbers ---- */

static void *come_and_go(void *unused)
{
	(void)unused;
	work(2);
	return NULL;
}

static void *begin_threads(void *unused)
{
	(void)unused;
	while (!is_done) {
		pthread_t thread;

		if (!pthread_create(&thread, NULL, come_and_go, NULL))
			pthread_join(thread, NULL);
	}
	return NULL;
}

static int numbers(void)
{
	const int first = dup(0);
	pthread_t worker, beginner;
	long others = 0;

	close(first);
	pthread_create(&worker, NULL, work_beside, NULL);
	pthread_create(&beginner, NULL, begin_threads, NULL);
	while (!is_done) {
		int fd = dup(0);

		others += fd != first;
		close(fd);
	}
	pthread_join(worker, NULL);
	pthread_join(beginner, NULL);
	printf("others: %ld\n", others);
	return 0;
}

/* ---- seize ---- */

static const char name[] = "precious";

static void write_file(void)
{
	char bytes[FILE_BYTES];
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	memset(bytes, 'p', sizeof(bytes));
	if (write(fd, bytes, sizeof(bytes)) != sizeof(bytes))
		exit(2);
	close(fd);
}

static int is_file_as_it_was(void)
{
	char bytes[FILE_BYTES + 1];
	int fd = open(name, O_RDONLY);
	long got = read(fd, bytes, sizeof(bytes));

	close(fd);
	for (long i = 0; i < got; i++)
		if (bytes[i] != 'p')
			return 0;
	return got == FILE_BYTES;
}

static void *seize(void *unused)
{
	static const int numbers[] = { 3, 4, 5, 10, 998, 999, 1000, 1001 };
	const int count = sizeof(numbers) / sizeof(*numbers);

	(void)unused;
	while (!is_done) {
		int fd;

		for (int i = 0; i < count; i++)
			close(numbers[i]);
		fd = open(name, O_RDWR);
		for (int i = 0; i < count; i++)
			if (fd != numbers[i])
				dup2(fd, numbers[i]);
	}
	return NULL;
}

static int seize_all(void)
{
	const struct rlimit many = { FD_MAX, FD_MAX };
	pthread_t worker, other;

	setrlimit(RLIMIT_NOFILE, &many);
	write_file();
	pthread_create(&other, NULL, seize, NULL);
	pthread_create(&worker, NULL, work_beside, NULL);
	pthread_join(worker, NULL);
	pthread_join(other, NULL);
	printf("file: %s\n", is_file_as_it_was() ? "as it was" : "changed");
	fflush(stdout);
	if (!fork()) {
		printf("child: %ld\n", work(LEVELS));
		printf("file: %s\n",
		       is_file_as_it_was() ? "as it was" : "changed");
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	return 0;
}

/* ---- full ---- */

static int full(void)
{
	while (dup(0) >= 0)
		;
	printf("parent: %ld\n", work(LEVELS));
	fflush(stdout);
	if (!fork()) {
		printf("child: %ld\n", work(LEVELS));
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	return 0;
}

/* ---- After an event ---- */

static int close_all(void)
{
	for (int fd = 3; fd < FD_MAX; fd++)
		close(fd);
	return 0;
}

static int bring_about(const char *event)
{
	const struct rlimit page = { 4096, 4096 };

	if (!strcmp(event, "closed"))
		return close_all();
	if (!strcmp(event, "root"))
		return chroot(".") || chdir("/");
	if (!strcmp(event, "user"))
		return setgid(65534) || setuid(65534);
	return strcmp(event, "limit") || setrlimit(RLIMIT_FSIZE, &page);
}

static int after(const char *event)
{
	if (bring_about(event))
		return 2;
	printf("%s: %ld\n", event, work(LEVELS));
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "list"))
		return list(argv);
	if (!strcmp(mode, "list-last")) {
		print_open("executed");
		return 0;
	}
	if (!strcmp(mode, "numbers"))
		return numbers();
	if (!strcmp(mode, "seize"))
		return seize_all();
	return strcmp(mode, "full") ? after(mode) : full();
}
