/* SPDX-License-Identifier: MIT */
/*
 * Maps its own text a second time from the file that /proc/self/maps names, and
 * calls a function there.
 *
 *	maps_own_file WAY
 *
 *	mmap		by mmap()
 *	mprotect	the same; the mapping becomes executable later
 *	syscall		by syscall(SYS_mmap)
 *	bytes		calls nothing; compares the bytes of a readable mapping
 *			with those of /proc/self/exe
 *	waits		as mmap, whenever a byte arrives on standard input
 *	refused		requests mappings that the kernel refuses
 *	removed		removes the program, and maps it, executable or not
 *
 *	dlopen		loads its library by that name
 *	dlmopen		the same
 *
 * Prints the file's path and the results.
 */
#include "tests/targets/maps_own_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096
#define RX   (PROT_READ | PROT_EXEC)

/* Calls nothing, so it works at any address. */
__attribute__((section("own_text"), noinline, aligned(PAGE))) unsigned long
sum_until(unsigned long last)
{
	unsigned long sum = 0;

	for (unsigned long i = 1; i <= last; i++) {
		sum += i;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

/* A mapping of the file needs many functions to be worth sharing. */
#define ONE(n)                                                                 \
	__attribute__((noinline, aligned(PAGE / 2))) unsigned long work_##n(   \
		unsigned long x)                                               \
	{                                                                      \
		__asm__ volatile("" : "+r"(x));                                \
		return x + sum_until(x % 7) + n;                               \
	}
#define TEN(n)                                                                 \
	ONE(n##0)                                                              \
	ONE(n##1)                                                              \
	ONE(n##2)                                                              \
	ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
TEN(1)
TEN(2)
TEN(3)
TEN(4)

typedef unsigned long sum(unsigned long last);

struct place {
	char path[4096];
	off_t offset;
};

static struct place find_place(sum *function)
{
	const unsigned long at = (unsigned long)(uintptr_t)function;
	FILE *maps = fopen("/proc/self/maps", "r");
	struct place place = { "", 0 };
	char *line = NULL;
	size_t room = 0;

	while (maps && getline(&line, &room, maps) > 0) {
		unsigned long start, end, offset;

		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095[^\n]", &start,
			   &end, &offset, place.path) == 4 &&
		    at >= start && at < end) {
			place.offset = (off_t)(offset + (at - start));
			free(line);
			fclose(maps);
			return place;
		}
	}
	abort();
}

static int open_file(const char *path, int flags)
{
	const int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		abort();
	return fd;
}

static void *map(const char *way, const struct place *place, int fd)
{
	const int later = strcmp(way, "mprotect") == 0;
	const int protection =
		later || strcmp(way, "bytes") == 0 ? PROT_READ : RX;
	void *memory;

	errno = ERANGE;
	if (strcmp(way, "syscall") == 0)
		memory = (void *)syscall(SYS_mmap, 0, PAGE, protection,
					 MAP_PRIVATE, fd, place->offset);
	else
		memory = mmap(NULL, PAGE, protection, MAP_PRIVATE, fd,
			      place->offset);
	if (memory == MAP_FAILED || errno != ERANGE)
		abort();
	if (later && mprotect(memory, PAGE, RX))
		abort();
	return memory;
}

/* Returns the number of the next descriptor. */
static int next_descriptor(void)
{
	const int fd = open_file("/dev/null", O_RDONLY);

	close(fd);
	return fd;
}

static void call_there(const char *way)
{
	const struct place place = find_place(sum_until);
	const int fd = open_file(place.path, O_RDONLY);
	const int unused = next_descriptor();
	void *memory = map(way, &place, fd);
	sum *there;

	if (next_descriptor() != unused)
		abort();
	close(fd);
	memcpy(&there, &memory, sizeof(there));
	printf("%s %lu\n", place.path, there(100));
	fflush(stdout);
	munmap(memory, PAGE);
}

static void compare_bytes(void)
{
	const struct place place = find_place(sum_until);
	const int fd = open_file(place.path, O_RDONLY);
	const int own = open_file("/proc/self/exe", O_RDONLY);
	const void *memory = map("bytes", &place, fd);
	char bytes[PAGE];

	if (pread(own, bytes, PAGE, place.offset) != PAGE)
		abort();
	printf("%s %s\n", place.path,
	       memcmp(bytes, memory, PAGE) == 0 ? "same" : "other");
}

static void try_to_map(const struct place *place, int protection, int fd,
		       int flags)
{
	const void *memory =
		mmap(NULL, PAGE, protection, flags, fd, place->offset);

	printf(" %s", memory == MAP_FAILED ? strerror(errno) : "mapped");
}

static void be_refused(void)
{
	const struct place place = find_place(sum_until);
	struct place odd = place;

	odd.offset++;
	printf("%s", place.path);
	try_to_map(&place, RX, open_file(place.path, O_PATH), MAP_PRIVATE);
	try_to_map(&place, RX, 1000, MAP_PRIVATE);
	try_to_map(&place, RX, open_file(place.path, O_RDONLY), 0);
	try_to_map(&odd, RX, open_file(place.path, O_RDONLY), MAP_PRIVATE);
	putchar('\n');
}

static void *load(const char *way, const char *path, int flags)
{
	return strcmp(way, "dlopen") == 0 ? dlopen(path, flags)
					  : dlmopen(LM_ID_BASE, path, flags);
}

static void load_library(const char *way)
{
	/* not the address in the program's procedure linkage table */
	void *symbol = dlsym(RTLD_DEFAULT, "library_add");
	void *loaded, *again;
	struct place place;
	sum *add;

	memcpy(&add, &symbol, sizeof(add));
	place = find_place(add);
	loaded = load(way, place.path, RTLD_NOW | RTLD_NOLOAD);
	again = load(way, place.path, RTLD_NOW);
	symbol = again ? dlsym(again, "library_add") : NULL;
	if (!symbol)
		abort();
	library_add(10);
	memcpy(&add, &symbol, sizeof(add));
	printf("%s %d %d %lu\n", place.path, loaded != NULL, loaded == again,
	       add(10));
}

static void remove_program(const char *program)
{
	const struct place place = find_place(sum_until);
	const int fd = open_file(place.path, O_RDONLY);

	if (unlink(program))
		abort();
	printf("%s", place.path);
	try_to_map(&place, RX, fd, MAP_PRIVATE);
	try_to_map(&place, PROT_READ, fd, MAP_PRIVATE);
	putchar('\n');
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	unsigned long total = work_10(1) + work_49(3);

	if (strcmp(way, "bytes") == 0)
		compare_bytes();
	else if (strcmp(way, "refused") == 0)
		be_refused();
	else if (strncmp(way, "dl", 2) == 0)
		load_library(way);
	else if (strcmp(way, "removed") == 0)
		remove_program(argv[0]);
	else if (strcmp(way, "waits") != 0)
		call_there(way);
	else
		for (puts("ready"), fflush(stdout); getchar() != EOF;)
			call_there("mmap");
	return total == 0;
}
