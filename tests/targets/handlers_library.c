/* SPDX-License-Identifier: MIT */
/*
 * Linked with -z initfirst and loaded after preloaded libraries, so its
 * constructor runs before all others, including theirs: of several such
 * libraries the loader takes the last. Handlers of sanitizers and allocators
 * also come before all others.
 */
#include <pthread.h>

#include "tests/targets/truth.h"

enum { WORK = 100 };

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

__attribute__((constructor)) static void register_handler(void)
{
	pthread_atfork(NULL, NULL, make_early_thread);
}

int handlers_library_is_there(void);
int handlers_library_is_there(void)
{
	return 1;
}
