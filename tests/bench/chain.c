/* SPDX-License-Identifier: MIT */
/*
 * chain call|tail ROUNDS: calls four functions, each of which calls the next
 * one at its end, by a call or a jump.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_attribute(noipa)
#define LINK __attribute__((noipa)) static unsigned long
#else /* clang */
#define LINK __attribute__((noinline)) static unsigned long
#endif

#define CHAIN(how, next_step)                                                  \
	LINK how##_4(unsigned long x)                                          \
	{                                                                      \
		return x ^ x >> 7;                                             \
	}                                                                      \
	LINK how##_3(unsigned long x)                                          \
	{                                                                      \
		return how##_4(x + 3) next_step;                               \
	}                                                                      \
	LINK how##_2(unsigned long x)                                          \
	{                                                                      \
		return how##_3(x * 5) next_step;                               \
	}                                                                      \
	LINK how##_1(unsigned long x)                                          \
	{                                                                      \
		return how##_2(x + 1) next_step;                               \
	}

CHAIN(tail, )
CHAIN(call, +1)

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	int tail = argc > 1 && !strcmp(argv[1], "tail");
	unsigned long sum = 0;

	for (unsigned long i = 0; i < rounds; i++)
		sum += tail ? tail_1(sum + i) : call_1(sum + i);
	printf("sum %lu\ncalls %lu\n", sum, 4 * rounds);
	return 0;
}
