/* SPDX-License-Identifier: MIT */
/*
 * shared_stack: threads that share one alternate stack, as in programs that
 * need it only for crashes, compute for a while. Prints whether the stack was
 * written.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define BUSY_NS 300000000

static char stack[65536];
static pthread_barrier_t all_have_it, it_is_clean;

/* A thread is sampled from its first call on. */
static __attribute__((noinline)) int is_done(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec || now.tv_nsec >= BUSY_NS;
}

static void *computes(void *unused)
{
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };

	if (sigaltstack(&alternate, NULL))
		perror("sigaltstack");
	pthread_barrier_wait(&all_have_it);
	pthread_barrier_wait(&it_is_clean);
	while (!is_done())
		;
	return unused;
}

static void crashed(int signal)
{
	_exit(signal);
}

int main(int argc, char **argv)
{
	static const char untouched[sizeof(stack)];
	const struct sigaction on_crash = { .sa_handler = crashed,
					    .sa_flags = SA_ONSTACK };
	pthread_t threads[THREADS];

	sigaction(SIGSEGV, &on_crash, NULL);
	pthread_barrier_init(&all_have_it, NULL, THREADS + 1);
	pthread_barrier_init(&it_is_clean, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, computes, NULL);
	pthread_barrier_wait(&all_have_it);
	if (argc > 1) { /* waits until the test has attached */
		puts("ready");
		fflush(stdout);
		getchar();
	}
	memset(stack, 0, sizeof(stack));
	pthread_barrier_wait(&it_is_clean);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	puts(memcmp(stack, untouched, sizeof(stack)) ? "written to" : "clean");
	return 0;
}
