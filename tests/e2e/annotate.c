/* SPDX-License-Identifier: MIT */
/*
 * A program whose time is known by line: nearly all of it in one division of
 * hot(). Prints the numbers of calls that caller() makes, by call site.
 *
 * Usage: annotate ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>

#define NEVER_INLINED __attribute__((noinline, noclone))

volatile unsigned int divisor = 3;

/* Three divisions take most of the time on CPUs with fast ones as well. */
#define BY(bits) (divisor | (bits))

static inline unsigned int divided(unsigned int number)
{
	return number / BY(1) / BY(5) / BY(9); /* the hot line */
}

NEVER_INLINED unsigned int hot(unsigned int count)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (divisor == 7)
			sum ^= i;
		sum += divided(i + sum);
	}
	return sum;
}

NEVER_INLINED unsigned int leaf(unsigned int number)
{
	return number + divisor;
}

NEVER_INLINED unsigned int caller(unsigned int number)
{
	/* Two call sites in one line. */
	unsigned int sum = leaf(number) ^ (number % 3 == 0 ? leaf(1) : 2);

	return sum + divisor;
}

int main(int argc, char **argv)
{
	const unsigned int rounds = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	unsigned int sum = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		sum += hot(100000);
		sum += caller(i);
	}
	printf("%u %u\n", rounds, (rounds + 2) / 3);
	return sum == 1;
}
