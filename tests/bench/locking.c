/* SPDX-License-Identifier: MIT */
/*
 * locking N: acquires and releases a mutex N times in each of ten calling
 * contexts, without other threads. Prints the nanoseconds of a pair.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PLACES 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void pairs(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
}

__attribute__((noinline)) static void place(int number, uint64_t count)
{
	if (number > 0)
		place(number - 1, count);
	else
		pairs(count);
	__asm__ volatile(""); /* no tail call */
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
	const uint64_t count = strtoull(argc > 1 ? argv[1] : "1", NULL, 10);
	uint64_t begin;

	for (int i = 0; i < PLACES; i++)
		place(i, 100);
	begin = now_ns();
	for (int i = 0; i < PLACES; i++)
		place(i, count);
	printf("%.2f\n", (double)(now_ns() - begin) / PLACES / (double)count);
	return 0;
}
