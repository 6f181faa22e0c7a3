/* SPDX-License-Identifier: MIT */
/*
 * durations MS...: calls handle() once for each number, which waits for that
 * time. Prints the pid and the nanoseconds that passed inside each call. With
 * "fork" as the first argument, a child does the same before its parent.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

__attribute__((noinline, visibility("default"))) int64_t handle(int ms)
{
	const int64_t start = now_ns();

	while (now_ns() - start < ms * INT64_C(1000000))
		;
	return now_ns() - start;
}

static void run(char **durations)
{
	for (; *durations; durations++)
		printf("%d %ld\n", (int)getpid(),
		       (long)handle(atoi(*durations)));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "fork") == 0) {
		argv++;
		if (fork() == 0) {
			run(argv + 1);
			_exit(0);
		}
		wait(NULL);
	}
	run(argv + 1);
	return 0;
}
