/* SPDX-License-Identifier: MIT */
/*
 * treed SHAPE N THREADS: each thread makes calls in one of the shapes below.
 * The last line is "calls N", for all threads. With INLINE_TREE (inline_tree.h)
 * the program itself counts them by context.
 *
 *	fib	fib(N): few contexts, the next call is mostly of the same function
 *	leaves	N times 200 functions, one after the other
 *	wide	N walks through a tree of 8 functions, 5 deep, chosen at random: 37,448
 *		contexts
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/inline_tree.h"
#include "tests/bench/two_hundred.h"

#define THREADS_MAX 64
#define DEPTH       5

#if __has_attribute(noipa)
#define APART __attribute__((noipa))
#else /* clang */
#define APART __attribute__((noinline))
#endif

static unsigned long count;

/* ---- fib ---- */

APART static unsigned long fib(unsigned long n)
{
	unsigned long result = n;

	ENTER(fib);
	if (n > 1)
		result = fib(n - 1) + fib(n - 2);
	LEAVE();
	return result;
}

/* fib(n) makes 2 fib(n + 1) - 1 calls. */
static void *call_fib(void *seed)
{
	unsigned long before = 1, calls = 1;

	fib(count);
	for (unsigned long n = 2; n <= count; n++) {
		const unsigned long next = before + calls + 1;

		before = calls;
		calls = next;
	}
	(void)seed;
	return (void *)calls;
}

/* ---- leaves ---- */

#define LEAF(n)                                                                \
	APART static unsigned long leaf_##n(unsigned long x)                   \
	{                                                                      \
		unsigned long result;                                          \
                                                                               \
		ENTER(leaf_##n);                                               \
		result = (x ^ n##UL * 2654435761UL) + (x >> (n % 13));         \
		LEAVE();                                                       \
		return result;                                                 \
	}

TWO_HUNDRED(LEAF)

typedef unsigned long (*leaf)(unsigned long n);
#define ENTRY(n) leaf_##n,
static const leaf leaves[] = { TWO_HUNDRED(ENTRY) };
#define LEAVES (sizeof(leaves) / sizeof(leaves[0]))

static void *call_leaves(void *seed)
{
	volatile unsigned long sum = (unsigned long)seed;

	for (unsigned long i = 0; i < count; i++)
		for (size_t j = 0; j < LEAVES; j++)
			sum = leaves[j](sum);
	return (void *)(count * LEAVES);
}

/* ---- wide ---- */

typedef unsigned long (*step)(unsigned long path, unsigned int left);

static unsigned long go_on(unsigned long path, unsigned int left);

#define STEP(n)                                                                \
	APART static unsigned long step_##n(unsigned long path,                \
					    unsigned int left)                 \
	{                                                                      \
		unsigned long result;                                          \
                                                                               \
		ENTER(step_##n);                                               \
		result = left ? go_on(path, left - 1) + 1 : 1;                 \
		LEAVE();                                                       \
		return result;                                                 \
	}
STEP(0)
STEP(1)
STEP(2)
STEP(3)
STEP(4)
STEP(5)
STEP(6)
STEP(7)

static const step steps[] = { step_0, step_1, step_2, step_3,
			      step_4, step_5, step_6, step_7 };

/*
 * This function is inlined into its callers, so that only the eight functions
 * are called.
 */
static inline __attribute__((always_inline)) unsigned long go_on(
	unsigned long path, unsigned int left)
{
	return steps[path & 7](path >> 3, left);
}

static void *call_wide(void *seed)
{
	uint64_t state = (uintptr_t)seed + 1;
	unsigned long calls = 0;

	for (unsigned long i = 0; i < count; i++) {
		state = state * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
		calls += go_on(state >> 40, DEPTH - 1);
	}
	return (void *)calls;
}

static const struct {
	const char *name;
	void *(*call)(void *seed);
} shapes[] = { { "fib", call_fib },
	       { "leaves", call_leaves },
	       { "wide", call_wide } };

int main(int argc, char **argv)
{
	const long threads = argc > 3 ? atol(argv[3]) : 1;
	void *(*call)(void *seed) = NULL;
	pthread_t made[THREADS_MAX];
	unsigned long calls = 0;

	for (size_t i = 0; argc > 1 && i < sizeof(shapes) / sizeof(*shapes);
	     i++)
		if (strcmp(argv[1], shapes[i].name) == 0)
			call = shapes[i].call;
	if (!call || threads < 1 || threads > THREADS_MAX)
		return 2;
	count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&made[i], NULL, call, (void *)i) != 0)
			return 1;
	for (long i = 0; i < threads; i++) {
		void *of_thread;

		pthread_join(made[i], &of_thread);
		calls += (unsigned long)of_thread;
	}
	printf("calls %lu\n", calls);
	return 0;
}
