/* SPDX-License-Identifier: MIT */
/*
 * waiting SECONDS THREADS [MICROSECONDS]: threads wait all the time, or wake up
 * after each period of so many microseconds for very little work.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS_MAX 1000

static double seconds;
static long pause_us;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void sleep_for(double length)
{
	const struct timespec ts = {
		.tv_sec = (time_t)length,
		.tv_nsec = (long)((length - (double)(time_t)length) * 1e9)
	};

	nanosleep(&ts, NULL);
}

static void *wait_there(void *unused)
{
	const double end = now() + seconds;

	if (!pause_us)
		sleep_for(seconds);
	while (now() < end)
		sleep_for((double)pause_us / 1e6);
	return unused;
}

int main(int argc, char **argv)
{
	const int count = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t threads[THREADS_MAX];

	seconds = argc > 1 ? atof(argv[1]) : 1;
	pause_us = argc > 3 ? atol(argv[3]) : 0;
	for (int i = 0; i < count && i < THREADS_MAX; i++)
		pthread_create(&threads[i], NULL, wait_there, NULL);
	for (int i = 0; i < count && i < THREADS_MAX; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
