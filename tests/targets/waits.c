/* SPDX-License-Identifier: MIT */
/*
 * A stack for inspection from outside: prints "ready" and then waits, or works,
 * at the bottom of six calls, the first of them by qsort().
 *
 *	waits [works]
 */
#include <stdlib.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

/*
 * Not static, so that the dynamic symbol table has them although the file is
 * stripped.
 */
int bottom(int works);
int level(int depth, int works);
int compare(const void *left, const void *right);

static volatile int sum;

KEPT int bottom(int works)
{
	if (write(1, "ready\n", 6) != 6)
		return 1;
	for (int i = 0; works && i < 300000000; i++)
		sum += i;
	if (!works)
		pause();
	return 0;
}

KEPT int level(int depth, int works)
{
	int result = depth ? level(depth - 1, works) : bottom(works);

	/* prevents a loop and a tail call */
	__asm__ volatile("" : "+r"(result));
	return result;
}

static int is_working;

KEPT int compare(const void *left, const void *right)
{
	static int calls;

	if (!calls++)
		level(3, is_working);
	return *(const int *)left - *(const int *)right;
}

int main(int argc, char **argv)
{
	int pair[2] = { 2, 1 };

	(void)argv;
	is_working = argc > 1;
	qsort(pair, 2, sizeof(pair[0]), compare);
	return 0;
}
