/* SPDX-License-Identifier: MIT */
/*
 * requests COUNT FAILED SLOW MS: handles COUNT requests. Request number FAILED
 * returns -1, number SLOW sleeps MS milliseconds, and each other returns its
 * number. Prints the longest call of handle() in ns, measured from within and
 * from outside, once for all except SLOW and once for SLOW.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PLACE __attribute__((noinline, visibility("default")))

static volatile unsigned int sink;
static unsigned int failed, slow;
static uint64_t inside_ns;
static unsigned int slow_ms;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

PLACE void step(unsigned int i)
{
	sink += i;
}

PLACE int handle(unsigned int i)
{
	const uint64_t start = now_ns();

	step(i);
	if (i == slow) {
		struct timespec pause = { slow_ms / 1000,
					  slow_ms % 1000 * 1000000L };

		nanosleep(&pause, NULL);
	}
	inside_ns = now_ns() - start;
	return i == failed ? -1 : (int)i;
}

int main(int argc, char **argv)
{
	uint64_t inside[2] = { 0 }, outside[2] = { 0 };
	unsigned int count;

	if (argc < 5)
		return 64;
	count = (unsigned int)atoi(argv[1]);
	failed = (unsigned int)atoi(argv[2]);
	slow = (unsigned int)atoi(argv[3]);
	slow_ms = (unsigned int)atoi(argv[4]);
	for (unsigned int i = 0; i < count; i++) {
		const uint64_t start = now_ns();
		uint64_t ns;

		handle(i);
		ns = now_ns() - start;
		if (inside[i == slow] < inside_ns)
			inside[i == slow] = inside_ns;
		if (outside[i == slow] < ns)
			outside[i == slow] = ns;
	}
	for (int i = 0; i < 2; i++)
		printf("%llu %llu\n", (unsigned long long)inside[i],
		       (unsigned long long)outside[i]);
	return 0;
}
