/* SPDX-License-Identifier: MIT */
/*
 * marks HOW: reports moments and regions to clew (agent/clew.h) in threads, in
 * handlers and in a forked child. The program measures regions from just inside
 * and from just outside and writes "NAME REGIONS" with the minimum and maximum
 * of their sum, in ns, to MARKS_TRUTH/PID. HOW is its end: "exit", "_exit",
 * "abort", or "flood" with more marks than are recorded. Prints nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/clew.h"

#define PLACE   __attribute__((noinline, visibility("default")))
#define THREADS 3
#define ROUNDS  500
#define FLOOD   2200000

struct region_truth {
	const char *name;
	_Atomic uint64_t count, least, most;
};

static struct region_truth request = { .name = "request" },
			   part = { .name = "part" },
			   sleep_in = { .name = "sleeps" };
static volatile uint64_t sink;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

/* Times around clew_begin() and clew_end(). */
struct bounds {
	uint64_t before, since;
};

static struct bounds begins(const char *name, uint64_t number)
{
	struct bounds bounds = { .before = now() };

	clew_begin(name, number);
	bounds.since = now();
	return bounds;
}

static void ends(struct region_truth *of, struct bounds bounds, uint64_t number)
{
	const uint64_t end = now();

	clew_end(of->name, number);
	of->most += now() - bounds.before;
	of->least += end - bounds.since;
	of->count++;
}

PLACE void works(uint64_t number)
{
	/* a copy of the name at another address */
	char name[] = "part";
	struct bounds bounds = begins(name, number);

	for (int i = 0; i < 100; i++)
		sink++;
	ends(&part, bounds, number);
}

PLACE void serves(uint64_t number)
{
	struct bounds bounds = begins("request", number);

	works(number);
	works(number);
	clew_mark("half", number);
	ends(&request, bounds, number);
}

static void *serve(void *argument)
{
	for (uint64_t i = 0; i < ROUNDS; i++)
		serves(i);
	return argument;
}

PLACE void on_signal(int signal)
{
	const int saved = errno;

	clew_mark("signal", (uint64_t)signal);
	clew_begin("handled", 1);
	clew_end("handled", 1);
	errno = saved;
}

/* Begins two regions. Another thread ends one of them. */
static void *hands_on(void *argument)
{
	clew_begin("handed", 7);
	clew_begin("handed", 8);
	return argument;
}

PLACE void naps(void)
{
	const struct timespec while_ = { .tv_nsec = 20000000 };
	struct bounds bounds = begins("sleeps", 0);

	nanosleep(&while_, NULL);
	ends(&sleep_in, bounds, 0);
}

static void write_truth(void)
{
	const struct region_truth *all[] = { &request, &part, &sleep_in };
	const char *folder = getenv("MARKS_TRUTH");
	char path[4096];
	int file;

	snprintf(path, sizeof(path), "%s/%d", folder ? folder : "/nowhere",
		 getpid());
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	for (int i = 0; file >= 0 && i < 3; i++)
		dprintf(file, "%s %lu %lu %lu\n", all[i]->name, all[i]->count,
			all[i]->least, all[i]->most);
	if (file >= 0)
		close(file);
}

static int child(void)
{
	request.count = request.least = request.most = 0;
	part.count = part.least = part.most = 0;
	sleep_in.count = sleep_in.least = sleep_in.most = 0;
	serves(1);
	clew_end("child", 0); /* without a beginning */
	write_truth();
	return 0;
}

static void *floods(void *argument)
{
	for (uint64_t i = 0; i < FLOOD; i++)
		clew_mark("flood", i);
	return argument;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	struct sigaction on = { .sa_handler = on_signal };
	pthread_t threads[THREADS];
	pid_t pid;
	int status;

	sigaction(SIGUSR1, &on, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, serve, NULL);
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_create(&threads[0], NULL, hands_on, NULL);
	pthread_join(threads[0], NULL);
	clew_end("handed", 8);
	naps();
	clew_mark(NULL, 3);
	clew_mark("a name that is so long that not all of it is kept, as it is "
		  "to be",
		  0);
	pid = fork();
	if (pid == 0)
		_exit(child());
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		return 1;
	write_truth();
	if (strcmp(how, "flood") == 0)
		floods(NULL);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "_exit") == 0)
		_exit(0);
	return 0;
}
