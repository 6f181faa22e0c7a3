/* SPDX-License-Identifier: MIT */
/*
 * CPU time of known functions. Each burns a share of it in its own context, by
 * its thread's CPU clock, one after another, and prints how much that was.
 *
 *	loads MILLISECONDS [threads | fork | exec]
 *
 * Prints "PID TID FUNCTION CALLER CPU_NS WALL_NS" for each. With threads, one
 * spins and one sleeps.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

static uint64_t total_ns;
static volatile uint64_t sum;
static pthread_barrier_t beginning;

struct times {
	uint64_t cpu_ns, wall_ns;
};

/*
 * Not static, so that the dynamic symbol table has them although the file is
 * stripped.
 */
struct times burn(uint64_t ns);
struct times spin(uint64_t ns);
void light(uint64_t ns);
void medium(uint64_t ns);
void heavy(uint64_t ns);
void *sleeper(void *argument);
void *spinner(void *argument);

static inline __attribute__((always_inline)) uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static inline __attribute__((always_inline)) struct times now(void)
{
	return (struct times){ clock_ns(CLOCK_THREAD_CPUTIME_ID),
			       clock_ns(CLOCK_MONOTONIC) };
}

static inline __attribute__((always_inline)) struct times since(
	struct times start)
{
	return (struct times){ clock_ns(CLOCK_THREAD_CPUTIME_ID) - start.cpu_ns,
			       clock_ns(CLOCK_MONOTONIC) - start.wall_ns };
}

static inline __attribute__((always_inline)) struct times use_cpu(uint64_t ns)
{
	const struct times start = now();
	struct times used;

	do {
		for (int i = 0; i < 20000; i++)
			sum += (uint64_t)i;
		used = since(start);
	} while (used.cpu_ns < ns);
	return used;
}

static void say(const char *function, const char *caller, struct times used)
{
	char line[128];
	int length = snprintf(line, sizeof(line), "%d %d %s %s %llu %llu\n",
			      getpid(), gettid(), function, caller,
			      (unsigned long long)used.cpu_ns,
			      (unsigned long long)used.wall_ns);

	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		abort();
}

KEPT struct times burn(uint64_t ns)
{
	return use_cpu(ns);
}

KEPT struct times spin(uint64_t ns)
{
	return use_cpu(ns);
}

/* Two of them have the same callee, which only contexts distinguish. */
KEPT void light(uint64_t ns)
{
	say("burn", "light", burn(ns));
}

KEPT void medium(uint64_t ns)
{
	say("burn", "medium", burn(ns));
}

KEPT void heavy(uint64_t ns)
{
	say("spin", "heavy", spin(ns));
}

static void burn_all(void)
{
	light(total_ns / 10);
	medium(total_ns * 3 / 10);
	heavy(total_ns * 6 / 10);
}

KEPT void *sleeper(void *argument)
{
	const struct timespec long_time = {
		.tv_sec = (time_t)(total_ns / 1000000000),
		.tv_nsec = (long)(total_ns % 1000000000)
	};

	struct times start;

	pthread_barrier_wait(&beginning);
	start = now();
	nanosleep(&long_time, NULL);
	say("sleeper", "-", since(start));
	return argument;
}

KEPT void *spinner(void *argument)
{
	pthread_barrier_wait(&beginning);
	say("burn", "spinner", burn(total_ns));
	return argument;
}

static void in_threads(void)
{
	void *(*const functions[])(void *) = { sleeper, spinner };
	pthread_t threads[2];

	pthread_barrier_init(&beginning, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, functions[i], NULL);
	burn_all();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";

	total_ns = strtoull(argv[1], NULL, 10) * 1000000;
	if (!strcmp(how, "threads")) {
		in_threads();
		return 0;
	}
	burn_all();
	if (!strcmp(how, "exec"))
		execl("/proc/self/exe", argv[0], argv[1], NULL);
	if (!strcmp(how, "fork") && !fork()) {
		burn_all();
		return 0;
	}
	wait(NULL);
	return 0;
}
