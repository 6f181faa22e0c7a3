/* SPDX-License-Identifier: MIT */
/*
 * Threads that do not return: cancelled in a blocking read, cancelled
 * asynchronously, or ended by pthread_exit, always below counted frames, with
 * cleanup handlers and key destructors that make counted calls.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <pthread.h>

#define ROUNDS 100
#define DEPTH  20

enum ending { ENDS_BLOCKED, ENDS_EXITING, ENDS_SPINNING, ENDINGS };

static pthread_key_t key;
static int pipe_ends[2];
static int cleanups;
static volatile int spinning;

static COUNTED void cleaned(void)
{
	COUNT(cleaned);
	__atomic_add_fetch(&cleanups, 1, __ATOMIC_RELAXED);
}

static COUNTED void cleanup(void *unused)
{
	COUNT(cleanup);
	cleaned();
}

static COUNTED void destroy(void *value)
{
	COUNT(destroy);
	cleaned();
}

static COUNTED void end(enum ending ending)
{
	char byte;

	COUNT(end);
	if (ending == ENDS_EXITING)
		pthread_exit(NULL);
	if (ending == ENDS_SPINNING) {
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
		for (;;)
			spinning = 1;
	}
	spinning = 1;
	(void)!read(pipe_ends[0], &byte, 1);
}

static COUNTED void descend(enum ending ending, int depth)
{
	COUNT(descend);
	pthread_cleanup_push(cleanup, NULL);
	if (depth)
		descend(ending, depth - 1);
	else
		end(ending);
	pthread_cleanup_pop(0);
}

static COUNTED void *thread_main(void *ending)
{
	COUNT(thread_main);
	pthread_setspecific(key, &key);
	descend((enum ending)(uintptr_t)ending, DEPTH);
	return NULL;
}

int main(void)
{
	if (pipe(pipe_ends) || pthread_key_create(&key, destroy))
		return 1;
	for (uintptr_t i = 0; i < ROUNDS * ENDINGS; i++) {
		uintptr_t ending = i % ENDINGS;
		pthread_t thread;

		spinning = 0;
		if (pthread_create(&thread, NULL, thread_main, (void *)ending))
			return 1;
		while (ending != ENDS_EXITING && !spinning)
			;
		if (ending != ENDS_EXITING)
			pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	printf("cleanups %d\n", cleanups);
	truth_write();
	return 0;
}
