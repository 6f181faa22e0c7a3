/* SPDX-License-Identifier: MIT */
/*
 * Prints backtrace() from below counted frames. Addresses in this executable
 * are printed relative to it, so the output with and without clew must be the
 * same.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <execinfo.h>

#define FRAMES 128

extern const char __executable_start[];
extern const char __etext[];

static COUNTED void print_frames(void)
{
	void *frames[FRAMES];
	int count;

	ENTER(print_frames);
	count = backtrace(frames, FRAMES);
	for (int i = 0; i < count; i++) {
		const char *pc = frames[i];

		if (pc >= __executable_start && pc < __etext)
			printf(" %zx", (size_t)(pc - __executable_start));
	}
	putchar('\n');
	LEAVE();
}

static COUNTED int inner(int n)
{
	ENTER(inner);
	if (n)
		n = inner(n - 1) + 1;
	else
		print_frames();
	LEAVE();
	return n;
}

static COUNTED int compare(const void *left, const void *right)
{
	ENTER(compare);
	inner(3);
	LEAVE();
	return *(const int *)left - *(const int *)right;
}

int main(void)
{
	int pair[2] = { 2, 1 };

	ENTER(main);
	for (int i = 0; i < 20; i++)
		inner(i);
	qsort(pair, 2, sizeof(pair[0]), compare);
	LEAVE();
	truth_write();
	return 0;
}
