/* SPDX-License-Identifier: MIT */
/*
 * many_mappings FREE
 *
 * Maps pages until FREE mappings are left of vm.max_map_count and prints a
 * line. For each line of input it prints in how many of several rounds it could
 * not map 33 more, as a thread pool or a heap would.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096

static size_t count_lines(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t lines = 0;

	for (int c; file && (c = fgetc(file)) != EOF;)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

static size_t most_mappings(void)
{
	FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
	size_t most = 0;

	if (!file || fscanf(file, "%zu", &most) != 1)
		exit(2);
	fclose(file);
	return most;
}

/* Every second page of a range becomes a separate mapping. */
static int split(char *at, size_t pages)
{
	for (size_t i = 1; i < pages; i += 2)
		if (mprotect(at + i * PAGE, PAGE, PROT_READ))
			return -1;
	return 0;
}

static char *reserve(size_t pages)
{
	return mmap(NULL, pages * PAGE, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static int fails(void)
{
	char *at = reserve(33);
	const int failed = at == MAP_FAILED || split(at, 33);

	if (at != MAP_FAILED)
		munmap(at, 33UL * PAGE);
	return failed;
}

int main(int argc, char **argv)
{
	const size_t most = most_mappings();
	const size_t left = argc > 1 ? strtoul(argv[1], NULL, 10) : most;
	const size_t there = count_lines("/proc/self/maps");
	char line[16];

	if (there + left < most && split(reserve(most), most - left - there))
		return 1;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		int failed = 0;

		for (int i = 0; i < 100; i++)
			failed += fails();
		printf("%d\n", failed);
		fflush(stdout);
	}
	return 0;
}
