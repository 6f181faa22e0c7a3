/* SPDX-License-Identifier: MIT */
/*
 * A library for LD_PRELOAD that counts the same as clew-alloc with one lock and
 * one table. Sums of each process are in a mapped file SHIM_DIR/PID:
 * allocations, their bytes, live blocks, their bytes. A forked child starts at
 * 0. Like clew-alloc it starts when clew has started, so neither contains
 * earlier allocations of the loader.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/clew.h"

#define SLOTS (1 << 22)

struct sums {
	uint64_t allocations, bytes, live, live_bytes;
};

static struct {
	uintptr_t at;
	size_t bytes;
}(*slots);

static struct sums *sums;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t whose;

static int is_on(void)
{
	static const struct clew_value kind = { "shim", CLEW_NUMBER };
	static struct clew_values *values;

	if (!values)
		values = clew_values_new(&kind, 1);
	return values != NULL;
}

static void *find(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void *map(size_t bytes, int file)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
			     : MAP_SHARED,
		    file, 0);
}

/* The caller holds the lock. */
static void begin(void)
{
	const char *folder = getenv("SHIM_DIR");
	char path[4096];
	int file;

	if (whose == getpid())
		return;
	whose = getpid();
	snprintf(path, sizeof(path), "%s/%d", folder ? folder : "/nowhere",
		 whose);
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (slots)
		munmap(slots, SLOTS * sizeof(*slots));
	slots = map(SLOTS * sizeof(*slots), -1);
	sums = map(sizeof(*sums),
		   file >= 0 && ftruncate(file, sizeof(*sums)) == 0 ? file
								    : -1);
	if (file >= 0)
		close(file);
}

static size_t slot_of(uintptr_t at)
{
	size_t i = (at >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 42;

	while (slots[i].at && slots[i].at != at)
		i = (i + 1) % SLOTS;
	return i;
}

/* Slots of freed blocks keep their address and count no bytes. */
static void add(void *at, size_t bytes)
{
	size_t i;

	if (!at)
		return;
	pthread_mutex_lock(&lock);
	if (!is_on()) {
		pthread_mutex_unlock(&lock);
		return;
	}
	begin();
	i = slot_of((uintptr_t)at);
	slots[i].at = (uintptr_t)at;
	slots[i].bytes = bytes + 1;
	sums->allocations++;
	sums->bytes += bytes;
	sums->live++;
	sums->live_bytes += bytes;
	pthread_mutex_unlock(&lock);
}

static void take(void *at)
{
	size_t i;

	if (!at || !sums)
		return;
	pthread_mutex_lock(&lock);
	begin();
	i = slot_of((uintptr_t)at);
	if (slots[i].at && slots[i].bytes) {
		sums->live--;
		sums->live_bytes -= slots[i].bytes - 1;
		slots[i].bytes = 0;
	}
	pthread_mutex_unlock(&lock);
}

void *malloc(size_t bytes)
{
	static void *(*next)(size_t);
	void *at;

	if (!next)
		next = find("malloc");
	at = next(bytes);
	add(at, bytes);
	return at;
}

void *calloc(size_t count, size_t each)
{
	static void *(*next)(size_t, size_t);
	void *at;

	if (!next)
		next = find("calloc");
	at = next(count, each);
	add(at, count * each);
	return at;
}

void *realloc(void *old, size_t bytes)
{
	static void *(*next)(void *, size_t);
	void *at;

	if (!next)
		next = find("realloc");
	take(old);
	at = next(old, bytes);
	add(at, bytes);
	return at;
}

void free(void *at)
{
	static void (*next)(void *);

	if (!next)
		next = find("free");
	take(at);
	next(at);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
	static int (*next)(void **, size_t, size_t);
	int err;

	if (!next)
		next = find("posix_memalign");
	err = next(out, alignment, bytes);
	if (err == 0)
		add(*out, bytes);
	return err;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	static void *(*next)(size_t, size_t);
	void *at;

	if (!next)
		next = find("aligned_alloc");
	at = next(alignment, bytes);
	add(at, bytes);
	return at;
}

void *memalign(size_t alignment, size_t bytes)
{
	static void *(*next)(size_t, size_t);
	void *at;

	if (!next)
		next = find("memalign");
	at = next(alignment, bytes);
	add(at, bytes);
	return at;
}
