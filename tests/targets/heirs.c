/* SPDX-License-Identifier: MIT */
/*
 * heirs: a thread makes a call that only a process with one thread may make
 * (unshare), or forks, so that clew's own thread must be restarted. Then the
 * thread ends, and its stack and thread-local variables are freed. The process
 * runs on for a while.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES (64 << 20) /* more than libc caches of old stacks */

static void idle(void)
{
	const struct timespec moment = { .tv_nsec = 5000000 };

	for (int i = 0; i < 40; i++)
		nanosleep(&moment, NULL);
}

static void *unshare_and_end(void *unused)
{
	printf("unshare: %d\n", unshare(CLONE_FS));
	return unused;
}

static void *idle_and_end(void *unused)
{
	idle();
	_exit(3);
	return unused;
}

/*
 * In the child this thread is the only one, until it creates another and ends.
 */
static void *fork_and_end(void *unused)
{
	pthread_t thread;
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		abort();
	if (pid) {
		waitpid(pid, &status, 0);
		printf("child: %d\n", WEXITSTATUS(status));
		return unused;
	}
	if (pthread_create(&thread, NULL, idle_and_end, NULL))
		abort();
	pthread_exit(NULL);
}

static void run(void *(*function)(void *))
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	if (pthread_create(&thread, &attributes, function, NULL))
		abort();
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
}

int main(void)
{
	run(unshare_and_end);
	idle();
	run(fork_and_end);
	puts("alive");
	return 0;
}
