/* SPDX-License-Identifier: MIT */
/*
 * Maps a part of its own text a second time and burns CPU time there, as V8
 * does with its builtins.
 *
 *	remapped WAY MILLISECONDS
 *
 *	file		from the file that /proc/self/maps names, as V8 does
 *	exe		from /proc/self/exe
 *	protected	the same; the mapping becomes executable later
 *	moved		the same, and the mapping is moved
 *	waits		as exe, but first waits for a byte on standard input
 *	copied		copies the code to anonymous memory
 *
 * Prints the CPU time in nanoseconds.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE  4096
#define TURNS 1000000
#define RX    (PROT_READ | PROT_EXEC)

/* clew does not hook functions with such names. */
__attribute__((section("own_text"), noinline, aligned(PAGE))) unsigned long
Builtins_Spin(unsigned long turns)
{
	unsigned long sum = turns;

	while (turns-- > 0)
		__asm__ volatile("add %1, %0" : "+r"(sum) : "r"(turns));
	return sum;
}

typedef unsigned long spin(unsigned long turns);

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Returns the offset of the function in its file, and sets that file's path. */
static unsigned long find_in_file(spin *function, char path[4096])
{
	const unsigned long at = (unsigned long)(uintptr_t)function;
	FILE *maps = fopen("/proc/self/maps", "r");
	char *line = NULL;
	size_t room = 0;

	while (maps && getline(&line, &room, maps) > 0) {
		unsigned long start, end, offset;

		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095[^\n]", &start,
			   &end, &offset, path) == 4 &&
		    at >= start && at < end) {
			fclose(maps);
			free(line);
			return offset + (at - start);
		}
	}
	abort();
}

static void *map(const char *path, unsigned long offset, int protection)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *memory =
		mmap(NULL, PAGE, protection, MAP_PRIVATE, fd, (off_t)offset);

	if (fd < 0 || memory == MAP_FAILED)
		abort();
	close(fd);
	return memory;
}

static void *map_again(const char *way, spin *function)
{
	char path[4096];
	const unsigned long offset = find_in_file(function, path);
	void *memory, *room;

	if (strcmp(way, "file") == 0)
		return map(path, offset, RX);
	if (strcmp(way, "copied") == 0) {
		memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memcpy(memory, (const void *)function, PAGE);
		return memory;
	}
	memory = map("/proc/self/exe", offset,
		     strcmp(way, "protected") == 0 ? PROT_READ : RX);
	if (strcmp(way, "protected") == 0 && mprotect(memory, PAGE, RX))
		abort();
	if (strcmp(way, "moved") != 0)
		return memory;
	room = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return mremap(memory, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room);
}

int main(int argc, char **argv)
{
	const char *way = argc > 2 ? argv[1] : "";
	const uint64_t ns =
		argc > 2 ? strtoull(argv[2], NULL, 10) * 1000000 : 0;
	void *memory = map_again(way, Builtins_Spin);
	uint64_t start, used;
	spin *again;
	char byte;

	memcpy(&again, &memory, sizeof(again));
	if (strcmp(way, "waits") == 0) {
		puts("ready");
		fflush(stdout);
		if (read(STDIN_FILENO, &byte, 1) != 1)
			return EXIT_FAILURE;
	}
	start = cpu_ns();
	do {
		again(TURNS);
		used = cpu_ns() - start;
	} while (used < ns);
	printf("%llu\n", (unsigned long long)used);
	return EXIT_SUCCESS;
}
