// SPDX-License-Identifier: MIT
/*
 * allocates HOW: allocates in known functions, in threads and in a forked
 * child, and frees some of it, also in exit handlers. HOW is its end: "exit",
 * "_exit" or "abort". Prints nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#define PLACE extern "C" __attribute__((noinline, visibility("default")))

static void *kept[8];
static char *mapped;

static void keep(void *block)
{
	__asm__ volatile("" : : "r"(block) : "memory");
}

PLACE void leaks(int times)
{
	for (int i = 0; i < times; i++)
		keep(malloc(100));
	__asm__ volatile("");
}

PLACE void churns(int times)
{
	for (int i = 0; i < times; i++) {
		auto *numbers = static_cast<int *>(malloc(400));

		keep(numbers);
		free(numbers);
	}
	__asm__ volatile("");
}

PLACE void moves(void)
{
	void *block = calloc(7, 10);

	for (int i = 1; i <= 10; i++)
		block = realloc(block, 1000 * i);
	kept[0] = block;
	keep(block);
}

PLACE void aligns(void)
{
	keep(posix_memalign(&kept[1], 64, 640) ? nullptr : kept[1]);
	kept[2] = aligned_alloc(4096, 8192);
	keep(kept[2]);
	free(kept[2]);
}

PLACE void maps(void)
{
	mapped = static_cast<char *>(mmap(nullptr, 10 * 4096,
					  PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	munmap(mapped + 2 * 4096, 3 * 4096);
	__asm__ volatile("");
}

PLACE void at_exit(void)
{
	free(kept[0]);
	leaks(5);
}

static void work()
{
	std::map<int, std::string> texts;

	for (int i = 0; i < 1000; i++)
		texts[i] = std::string(static_cast<size_t>(i), 'x');
	leaks(10);
	churns(1000);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	int status = 0;

	atexit(at_exit);
	leaks(1000);
	churns(2000);
	moves();
	aligns();
	maps();
	{
		std::vector<std::unique_ptr<std::thread>> threads;

		for (int i = 0; i < 3; i++)
			threads.push_back(std::make_unique<std::thread>(work));
		for (auto &thread : threads)
			thread->join();
	}
	const pid_t child = fork();
	if (child == 0) {
		leaks(3);
		free(kept[1]); /* allocated by the parent */
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		return 1;
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "_exit") == 0)
		_exit(0);
	return 0;
}
