/* SPDX-License-Identifier: MIT */
/*
 * Many threads at once, each with its own shape of calls: thread n walks a tree
 * of depth n % 8, so that no two tallies are equal by accident.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <pthread.h>

#define THREADS 24
#define ROUNDS  2000

static pthread_barrier_t barrier;

static COUNTED unsigned int leaf(unsigned int n)
{
	ENTER(leaf);
	n ^= n >> 3;
	LEAVE();
	return n;
}

static COUNTED unsigned int walk(unsigned int depth, unsigned int seed)
{
	unsigned int sum;

	ENTER(walk);
	if (!depth)
		sum = leaf(seed);
	else
		sum = walk(depth - 1, seed * 2) +
		      (seed % 3 ? walk(depth - 1, seed + 1) : leaf(seed));
	LEAVE();
	return sum;
}

static COUNTED void *thread_main(void *argument)
{
	unsigned int number = (unsigned int)(uintptr_t)argument;
	unsigned int sum = 0;

	ENTER(thread_main);
	pthread_barrier_wait(&barrier);
	for (unsigned int i = 0; i < ROUNDS; i++)
		sum += walk(number % 8, i + number);
	LEAVE();
	return (void *)(uintptr_t)sum;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned int sum = 0;

	ENTER(main);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread_main, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += (unsigned int)(uintptr_t)result;
	}
	printf("sum %u\n", sum);
	LEAVE();
	truth_write();
	return 0;
}
