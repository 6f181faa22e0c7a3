/* SPDX-License-Identifier: MIT */
/*
 * churn THREADS: creates this number of short-lived threads, a few at a time.
 * Tallies must be reused without losing counts. The truth of a new thread
 * continues the tree of a finished one, because truth nodes are not reused.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <pthread.h>

#define ALIVE 8

/* the root that the last thread of this slot left */
static uint32_t finished[ALIVE];

static COUNTED unsigned int work(unsigned int n)
{
	ENTER(work);
	unsigned int sum = n ? work(n - 1) + 1 : 0;
	LEAVE();
	return sum;
}

static COUNTED void *thread_main(void *argument)
{
	uint32_t *root = argument;

	TRUTH_HERE = *root;
	ENTER(thread_main);
	work((unsigned int)(root - finished));
	LEAVE();
	*root = TRUTH_HERE;
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 10000;
	pthread_t alive[ALIVE];
	int i;

	ENTER(main);
	for (i = 0; i < threads; i++) {
		int slot = i % ALIVE;

		if (i >= ALIVE)
			pthread_join(alive[slot], NULL);
		if (pthread_create(&alive[slot], NULL, thread_main,
				   &finished[slot]))
			return 1;
	}
	for (i = 0; i < ALIVE && i < threads; i++)
		pthread_join(alive[i], NULL);
	printf("threads %d\n", threads);
	LEAVE();
	truth_write();
	return 0;
}
