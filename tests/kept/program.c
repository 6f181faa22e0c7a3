/* SPDX-License-Identifier: MIT */
/* What the kept recordings are of (make). */
#include <pthread.h>
#include <stdio.h>

static __attribute__((noinline)) unsigned long leaf(unsigned long n)
{
	volatile unsigned long sum = n;

	for (unsigned long i = 0; i < 2000000; i++)
		sum += i;
	return sum;
}

static __attribute__((noinline)) unsigned long tree(unsigned long n)
{
	return n ? tree(n - 1) + leaf(n) + 1 : 0;
}

static void *run(void *unused)
{
	printf("%lu\n", tree(30));
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	run(NULL);
	pthread_join(thread, NULL);
	return 0;
}
