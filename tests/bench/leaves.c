/* SPDX-License-Identifier: MIT */
/*
 * leaves ROUNDS [THREADS]: each thread calls 200 different small functions one
 * after another through a table, so that no call is predicted by the previous
 * call at the same place.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/two_hundred.h"

#define THREADS_MAX 64

typedef unsigned long (*leaf)(unsigned long n);

#if __has_attribute(noipa)
#define LEAF_ATTRIBUTE __attribute__((noipa))
#else /* clang */
#define LEAF_ATTRIBUTE __attribute__((noinline))
#endif

#define LEAF(n)                                                                \
	LEAF_ATTRIBUTE static unsigned long leaf_##n(unsigned long x)          \
	{                                                                      \
		return (x ^ n##UL * 2654435761UL) + (x >> (n % 13));           \
	}

TWO_HUNDRED(LEAF)

#define ENTRY(n) leaf_##n,
static const leaf table[] = { TWO_HUNDRED(ENTRY) };
#define LEAVES (sizeof(table) / sizeof(table[0]))

static unsigned long rounds;

static void *call_all(void *seed)
{
	unsigned long sum = (unsigned long)seed;

	for (unsigned long i = 0; i < rounds; i++)
		for (size_t j = 0; j < LEAVES; j++)
			sum = table[j](sum);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t threads[THREADS_MAX];
	unsigned long sum = 0;

	rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	if (count > THREADS_MAX)
		return 2;
	for (long i = 1; i < count; i++)
		if (pthread_create(&threads[i], NULL, call_all, (void *)i))
			return 1;
	sum += (unsigned long)call_all(NULL);
	for (int i = 1; i < count; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += (unsigned long)result;
	}
	printf("sum %lu\ncalls %lu\n", sum,
	       rounds * LEAVES * (unsigned long)count);
	return 0;
}
