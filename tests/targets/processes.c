/* SPDX-License-Identifier: MIT */
/*
 * processes fork|forkexec|atonce|vfork|exec|spawn|threads|homeless|watched:
 * creates other processes and waits for them. Processes of `homeless` find no
 * recording, those of `atonce` call nothing before they execute, and those of
 * `watched` run with atfork handlers. Every image, including `processes work
 * N`, has its own truth. Output is by write(2), one line at a time, so that a
 * child does not print its parent's buffer.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#define CHILDREN 4

extern char **environ;

static COUNTED int work(int n)
{
	ENTER(work);
	int sum = n > 0 ? work(n - 1) + n : 0;
	LEAVE();
	return sum;
}

TRUTH_INLINE void say(const char *what, int value)
{
	char line[64];
	int length = snprintf(line, sizeof(line), "%s %d\n", what, value);

	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		perror("write");
}

TRUTH_INLINE void wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		say("no child", -1);
	else
		say("child ended with", status);
}

TRUTH_INLINE void arguments_for(char **argv, const char *self, char *number,
				int n)
{
	snprintf(number, 16, "%d", n);
	argv[0] = (char *)(uintptr_t)self;
	argv[1] = (char *)(uintptr_t) "work";
	argv[2] = number;
	argv[3] = NULL;
}

static COUNTED void in_child(int n, int generations)
{
	ENTER(in_child);
	say("child works", work(n));
	if (generations) {
		pid_t pid = fork();

		if (!pid) {
			TRUTH_FORKED();
			in_child(n + 1, generations - 1);
			LEAVE();
			truth_write();
			_exit(n);
		}
		wait_for(pid);
	}
	LEAVE();
}

static COUNTED void forks(void)
{
	ENTER(forks);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		if (!pid) {
			TRUTH_FORKED();
			in_child(i, 2);
			truth_write();
			_exit(i);
		}
		work(i);
		wait_for(pid);
	}
	LEAVE();
}

static COUNTED void fork_execs(const char *self, int works)
{
	char number[16];
	char *argv[4];

	ENTER(fork_execs);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		if (!pid) {
			TRUTH_FORKED();
			if (works)
				work(i);
			truth_write();
			arguments_for(argv, self, number, i + 10);
			execv(self, argv);
			_exit(127);
		}
		wait_for(pid);
	}
	LEAVE();
}

/* The child shares the parent's frames until it execs. */
static COUNTED pid_t vfork_exec(const char *self, char **argv)
{
	ENTER(vfork_exec);
	pid_t pid = vfork();

	if (!pid) {
		execv(self, argv);
		_exit(127);
	}
	LEAVE();
	return pid;
}

static COUNTED void vforks(const char *self)
{
	char number[16];
	char *argv[4];

	ENTER(vforks);
	for (int i = 0; i < CHILDREN; i++) {
		arguments_for(argv, self, number, i + 10);
		pid_t pid = vfork_exec(self, argv);

		work(i);
		wait_for(pid);
	}
	LEAVE();
}

static COUNTED void spawns(const char *self)
{
	char number[16];
	char *argv[4];

	ENTER(spawns);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = -1;

		arguments_for(argv, self, number, i + 10);
		if (posix_spawn(&pid, self, NULL, NULL, argv, environ))
			say("spawn failed", i);
		work(i);
		wait_for(pid);
	}
	LEAVE();
}

/* Forks while another thread makes counted calls. */
static volatile int stop;

static COUNTED unsigned int busy(unsigned int n)
{
	COUNT(busy);
	if (n < 2)
		return n;
	/* volatile, or the second call would become a loop */
	volatile unsigned int sum = busy(n - 1) + busy(n - 2);
	return sum;
}

static COUNTED void *busy_thread(void *unused)
{
	COUNT(busy_thread);
	while (!stop)
		busy(10);
	return NULL;
}

static COUNTED void forks_with_thread(void)
{
	pthread_t thread;

	ENTER(forks_with_thread);
	if (pthread_create(&thread, NULL, busy_thread, NULL))
		say("no thread", 0);
	forks();
	stop = 1;
	pthread_join(thread, NULL);
	LEAVE();
}

/*
 * Renames the folder $CLEW_DIR meanwhile, so that children do not find it, as
 * after a change of the root.
 */
static COUNTED void forks_homeless(void)
{
	const char *directory = getenv("CLEW_DIR");
	char away[4096];

	ENTER(forks_homeless);
	snprintf(away, sizeof(away), "%s.away", directory ? directory : "");
	if (directory && rename(directory, away))
		perror(away);
	forks();
	if (directory && rename(away, directory))
		perror(directory);
	LEAVE();
}

static COUNTED void before_fork(void)
{
	ENTER(before_fork);
	work(1);
	LEAVE();
}

static COUNTED void after_fork_in_parent(void)
{
	ENTER(after_fork_in_parent);
	work(2);
	LEAVE();
}

static COUNTED void after_fork_in_child(void)
{
	TRUTH_FORKED();
	ENTER(after_fork_in_child);
	work(3);
	LEAVE();
}

/* Handlers make calls, and each child runs in its parent's frames. */
static COUNTED int forks_deep(int depth)
{
	ENTER(forks_deep);
	int result = 0;
	if (depth > 0) {
		result = forks_deep(depth - 1);
		work(depth);
	} else {
		pid_t pid = fork();

		if (pid)
			wait_for(pid);
		result = !pid;
	}
	LEAVE();
	return result;
}

/*
 * Not below main: pthread_atfork() is linked in statically and not counted.
 * musl's constructors have no arguments.
 */
__attribute__((constructor)) static void watch_forks(void)
{
	char words[4096] = "";
	const int fd = open("/proc/self/cmdline", O_RDONLY);
	const ssize_t bytes = read(fd, words, sizeof(words) - 1);

	close(fd);
	if (bytes > 0 && !strcmp(words + strlen(words) + 1, "watched"))
		pthread_atfork(before_fork, after_fork_in_parent,
			       after_fork_in_child);
}

static COUNTED void forks_watched(void)
{
	ENTER(forks_watched);
	for (int i = 0; i < CHILDREN; i++)
		if (forks_deep(5 * i))
			break;
	LEAVE();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const char *self = "/proc/self/exe";
	char path[4096];
	ssize_t length = readlink(self, path, sizeof(path) - 1);

	if (length < 0)
		return 1;
	path[length] = 0;
	ENTER(main);
	if (!strcmp(mode, "work") && argc > 2)
		say("work", work(atoi(argv[2])));
	else if (!strcmp(mode, "fork"))
		forks();
	else if (!strcmp(mode, "forkexec"))
		fork_execs(path, 1);
	else if (!strcmp(mode, "atonce"))
		fork_execs(path, 0);
	else if (!strcmp(mode, "vfork"))
		vforks(path);
	else if (!strcmp(mode, "spawn"))
		spawns(path);
	else if (!strcmp(mode, "threads"))
		forks_with_thread();
	else if (!strcmp(mode, "homeless"))
		forks_homeless();
	else if (!strcmp(mode, "watched"))
		forks_watched();
	else if (strcmp(mode, "exec") != 0)
		return 2;
	work(5);
	LEAVE();
	truth_write();
	if (!strcmp(mode, "exec")) {
		char *again[4];
		char number[16];

		arguments_for(again, path, number, 33);
		execv(path, again);
		return 127;
	}
	return 0;
}
