/* SPDX-License-Identifier: MIT */
/*
 * shared_stack: threads that all have one alternate stack, as those of programs that want
 * one for a crash alone, compute for a while. Says whether anybody has written to it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define THREADS 4
#define BUSY_NS 300000000

static char stack[65536];
static pthread_barrier_t all_have_it, it_is_clean;

static void *computes(void *unused)
{
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct timespec now;

	if (sigaltstack(&alternate, NULL))
		perror("sigaltstack");
	pthread_barrier_wait(&all_have_it);
	pthread_barrier_wait(&it_is_clean);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (!now.tv_sec && now.tv_nsec < BUSY_NS);
	return unused;
}

int main(void)
{
	static const char untouched[sizeof(stack)];
	pthread_t threads[THREADS];

	pthread_barrier_init(&all_have_it, NULL, THREADS + 1);
	pthread_barrier_init(&it_is_clean, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, computes, NULL);
	pthread_barrier_wait(&all_have_it);
	memset(stack, 0, sizeof(stack));
	pthread_barrier_wait(&it_is_clean);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	puts(memcmp(stack, untouched, sizeof(stack)) ? "written to" : "clean");
	return 0;
}
