/* SPDX-License-Identifier: MIT */
/* stamps N: reads the time stamp counter N times, two in a turn; prints N. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const uint64_t count = strtoull(argc > 1 ? argv[1] : "0", NULL, 10);
	volatile uint64_t first, second;

	for (uint64_t i = 0; i < count; i += 2) {
		first = __builtin_ia32_rdtsc();
		second = __builtin_ia32_rdtsc();
	}
	(void)first;
	(void)second;
	printf("stamps %llu\n", (unsigned long long)count);
	return 0;
}
