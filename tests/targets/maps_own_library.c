/* SPDX-License-Identifier: MIT */
/* A library that maps_own_file.c loads by its path in /proc/self/maps. */
#include "tests/targets/maps_own_file.h"

static unsigned long total;

__attribute__((noinline)) static unsigned long add(unsigned long n)
{
	__asm__ volatile("" : "+r"(n));
	return total += n;
}

unsigned long library_add(unsigned long last)
{
	for (unsigned long i = 1; i <= last; i++)
		add(i);
	return total;
}
