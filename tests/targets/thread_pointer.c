/* SPDX-License-Identifier: MIT */
/*
 * Works for 300 ms of CPU time with its own thread pointer, around which no
 * memory is mapped, as in programs that run foreign code in their threads.
 */
#include <asm/prctl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#define PAGE    4096
#define WORK_NS 300000000

/* libc's function would set errno, in thread-local storage. */
static inline __attribute__((always_inline)) long call(long number, long a,
						       long b)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b)
			 : "rcx", "r11", "memory");
	return result;
}

static inline __attribute__((always_inline)) long cpu_ns(void)
{
	struct timespec now;

	call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

__attribute__((noinline)) static void work(void *pointer)
{
	volatile uint64_t turns = 0;
	uint64_t own;
	long end;

	call(SYS_arch_prctl, ARCH_GET_FS, (long)&own);
	call(SYS_arch_prctl, ARCH_SET_FS, (long)pointer);
	for (end = cpu_ns() + WORK_NS; cpu_ns() < end;)
		for (int i = 0; i < 100000; i++)
			turns = turns + 1;
	call(SYS_arch_prctl, ARCH_SET_FS, (long)own);
}

int main(void)
{
	char *pages = mmap(NULL, 3 * PAGE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	work(pages + PAGE);
	puts("done");
	return 0;
}
