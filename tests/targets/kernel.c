/* SPDX-License-Identifier: MIT */
/*
 * Kernel time without system calls, time in system calls, and user time only:
 * prints the kernel's account, in microseconds of user and system time.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define BYTES ((size_t)8 << 20)

static volatile unsigned long sink;

static __attribute__((noinline)) void faults(int times)
{
	while (times--) {
		char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(memory, BYTES, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < BYTES; i += 4096)
			memory[i] = 1;
		munmap(memory, BYTES);
	}
}

static __attribute__((noinline)) void calls(int times)
{
	while (times--)
		sink += (unsigned long)getppid();
}

static __attribute__((noinline)) void spins(long times)
{
	while (times--)
		sink++;
}

static long microseconds(struct timeval time)
{
	return (long)time.tv_sec * 1000000 + (long)time.tv_usec;
}

int main(void)
{
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	do {
		faults(4);
		calls(80000);
		spins(40000000);
		getrusage(RUSAGE_SELF, &after);
	} while (microseconds(after.ru_utime) + microseconds(after.ru_stime) <
		 2000000);
	printf("%ld %ld\n",
	       microseconds(after.ru_utime) - microseconds(before.ru_utime),
	       microseconds(after.ru_stime) - microseconds(before.ru_stime));
	return 0;
}
