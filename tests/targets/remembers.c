/* SPDX-License-Identifier: MIT */
/*
 * remembers N: functions that call setjmp, so that they and their callers
 * return to trampolines; none jumps. Contexts must be exact.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <setjmp.h>

static sigjmp_buf landing;

static COUNTED int leaf(int n)
{
	ENTER(leaf);
	LEAVE();
	return n + 1;
}

static COUNTED int remembers(int n)
{
	int sum;

	ENTER(remembers);
	sum = leaf(n);
	if (!sigsetjmp(landing, 1))
		sum += leaf(n);
	LEAVE();
	return sum;
}

static COUNTED int calls(int depth, int n)
{
	int sum;

	ENTER(calls);
	sum = depth ? calls(depth - 1, n) : remembers(n);
	sum += leaf(n);
	LEAVE();
	return sum;
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 1;
	int sum = 0;

	ENTER(main);
	for (int i = 0; i < count; i++)
		sum += calls(i % 3, i);
	LEAVE();
	truth_write();
	return sum == 0;
}
