/* SPDX-License-Identifier: MIT */
/*
 * handlers: forks CHILDREN times. A handler makes a thread in each child,
 * which works and has ended before anybody else is told of the fork. What is
 * called there is not in the truth.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

enum { CHILDREN = 3, WORK = 100 };

static COUNTED int work(int n)
{
	ENTER(work);
	int sum = n > 0 ? work(n - 1) + n : 0;
	LEAVE();
	return sum;
}

static COUNTED int early_leaf(int n)
{
	return n ^ n >> 3;
}

static COUNTED void *early_thread(void *unused)
{
	volatile int sum = 0;

	for (int i = 0; i < WORK; i++)
		sum += early_leaf(i);
	(void)sum;
	return unused;
}

static COUNTED void make_early_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, early_thread, NULL) == 0)
		pthread_join(thread, NULL);
}

static void register_handler(void)
{
	static int is_registered;

	if (!is_registered++)
		pthread_atfork(NULL, NULL, make_early_thread);
}

/*
 * In front of libc's, and called by whoever is initialised first: so do
 * sanitizers and other allocators come to handlers before all others.
 */
size_t strcspn(const char *text, const char *reject)
{
	size_t length = 0;

	register_handler();
	for (; text[length]; length++) {
		for (const char *at = reject; *at; at++)
			if (*at == text[length])
				return length;
	}
	return length;
}

int main(void)
{
	int status;

	register_handler();
	ENTER(main);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		if (!pid) {
			TRUTH_FORKED();
			work(i);
			truth_write();
			_exit(i);
		}
		work(5);
		if (waitpid(pid, &status, 0) == pid)
			printf("%x\n", (unsigned int)status);
	}
	LEAVE();
	truth_write();
	return 0;
}
