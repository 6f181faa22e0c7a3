/* SPDX-License-Identifier: MIT */
/*
 * deep [LEVELS]: recursion to this depth on a thread's stack, and to a quarter
 * of it on main's.
 */
#define TRUTH_MAIN
#define TRUTH_NODES (1 << 20)
#include "tests/targets/truth.h"

#include <pthread.h>

#define STACK_BYTES (256 << 20)

static COUNTED long down(long levels)
{
	long depth = 0;

	ENTER(down);
	if (levels > 1)
		depth = down(levels - 1);
	LEAVE();
	return depth + 1;
}

static COUNTED void *thread_main(void *levels)
{
	ENTER(thread_main);
	long depth = down((long)(intptr_t)levels);
	LEAVE();
	return (void *)(intptr_t)depth;
}

int main(int argc, char **argv)
{
	long levels = argc > 1 ? atol(argv[1]) : 100000;
	pthread_attr_t attributes;
	pthread_t thread;
	void *depth;

	ENTER(main);
	printf("main %ld\n", down(levels / 4));
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	if (pthread_create(&thread, &attributes, thread_main,
			   (void *)(intptr_t)levels))
		return 1;
	pthread_join(thread, &depth);
	printf("thread %ld\n", (long)(intptr_t)depth);
	LEAVE();
	truth_write();
	return 0;
}
