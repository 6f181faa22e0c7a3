/* SPDX-License-Identifier: MIT */
/*
 * fib N: computes a Fibonacci number by recursion, the usual benchmark for
 * tools of this kind. Prints the number of calls of fib().
 */
#include <stdio.h>
#include <stdlib.h>

/*
 * The compiled code must make the calls of the source code: see also
 * CMakeLists.txt.
 */
__attribute__((noinline)) static unsigned long fib(unsigned int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? (unsigned int)atoi(argv[1]) : 38;
	unsigned long calls = 1; /* 2 fib(n + 1) - 1, by counting up */
	unsigned long before = 1;

	for (unsigned int i = 1; i < n; i++) {
		unsigned long next = calls + before + 1;

		before = calls;
		calls = next;
	}
	printf("fib %lu\ncalls %lu\n", fib(n), n ? calls : 1);
	return 0;
}
