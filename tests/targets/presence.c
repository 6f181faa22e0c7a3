/* SPDX-License-Identifier: MIT */
/*
 * Threads that work and wait, and print their times.
 *
 *	presence [killed|busy]
 *
 * Prints "TID PRESENT_NS CPU_NS" for each thread, then ends or kills itself. In
 * `busy` mode, many threads only work.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define CROWD   8

static int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static __attribute__((noinline)) void work(int64_t ms)
{
	int64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 10000; i++)
			;
}

static __attribute__((noinline)) void rest(int64_t ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

struct thread {
	pthread_t id;
	int work_ms, rest_ms, tid;
	int64_t present_ns, cpu_ns;
};

static __attribute__((noinline)) void live(struct thread *thread)
{
	const int64_t came = now_ns(CLOCK_MONOTONIC);
	const int64_t cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);

	thread->tid = (int)syscall(SYS_gettid);
	for (int i = 0; i < 4; i++) {
		work(thread->work_ms / 4);
		rest(thread->rest_ms / 4);
	}
	thread->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	thread->present_ns = now_ns(CLOCK_MONOTONIC) - came;
}

static __attribute__((noinline)) void *begin(void *argument)
{
	live(argument);
	return NULL;
}

static __attribute__((noinline)) void live_all(struct thread *threads,
					       int count)
{
	live(&threads[0]);
	for (int i = 1; i <= count; i++)
		pthread_create(&threads[i].id, NULL, begin, &threads[i]);
	for (int i = 1; i <= count; i++)
		pthread_join(threads[i].id, NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const int is_crowd = !strcmp(mode, "busy");
	const int count = is_crowd ? CROWD : THREADS;
	struct thread threads[1 + CROWD] = {
		{ .work_ms = 100, .rest_ms = 200 },
		{ .work_ms = 200 },
		{ .rest_ms = 800 },
		{ .work_ms = 100, .rest_ms = 300 },
	};
	const int64_t came = now_ns(CLOCK_MONOTONIC);
	const int64_t cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);

	for (int i = 0; is_crowd && i <= count; i++)
		threads[i] = (struct thread){ .work_ms = 100 };
	live_all(threads, count);
	threads[0].present_ns = now_ns(CLOCK_MONOTONIC) - came;
	threads[0].cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	for (int i = 0; i <= count; i++)
		printf("%d %lld %lld\n", threads[i].tid,
		       (long long)threads[i].present_ns,
		       (long long)threads[i].cpu_ns);
	fflush(stdout);
	if (!strcmp(mode, "killed"))
		raise(SIGKILL);
	return 0;
}
