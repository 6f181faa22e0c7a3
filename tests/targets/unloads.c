/* SPDX-License-Identifier: MIT */
/*
 * Threads that only load and unload two libraries of equal layout:
 *
 *	unloads FILE DIRECTORY THREADS
 *
 * FILE is shared memory: 1 once they run, the number of rounds, and the number
 * of rounds with a wrong result. Each round calls stays() STAYS times.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/targets/plugins.h"

#define STAYS   10
#define THREADS 8

static struct {
	_Atomic long is_ready, rounds, wrong;
} * shared;

static const char *directory;

COUNTED long stays(long n);
COUNTED long starts_round(unsigned *seed);

COUNTED long stays(long n)
{
	__asm__ volatile("" : : : "memory");
	return n + 1;
}

/*
 * Returns 0 if all results are right. run(3) of a library returns inner(2) +
 * inner(1) + inner(0).
 */
COUNTED long starts_round(unsigned *seed)
{
	const int variant = 1 + rand_r(seed) % 2;
	char path[4096];
	long (*run)(long), sum;
	void *handle;

	snprintf(path, sizeof(path), "%s/libplugin_%c.so", directory,
		 "-ab"[variant]);
	handle = dlopen(path, RTLD_NOW);
	if (!handle)
		abort();
	run = (long (*)(long))dlsym(handle, "plugin_run");
	sum = run(3) - (3 * variant + 3);
	for (long i = 0; i < STAYS; i++)
		sum += stays(i) - i - 1;
	dlclose(handle);
	return sum;
}

static void *load_and_unload(void *argument)
{
	unsigned seed = (unsigned)(unsigned long)argument;

	for (;;) {
		shared->wrong += starts_round(&seed) != 0;
		shared->rounds++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	const long count = atol(argv[3]);
	pthread_t threads[THREADS];

	if (fd < 0 || ftruncate(fd, sizeof(*shared)) != 0)
		return 1;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	directory = argv[2];
	for (long i = 0; i < count && i < THREADS; i++)
		pthread_create(&threads[i], NULL, load_and_unload,
			       (void *)(i + 1));
	shared->is_ready = 1;
	for (long i = 0; i < count && i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
