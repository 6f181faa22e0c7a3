/* SPDX-License-Identifier: MIT */
/*
 * generates WAY CALLS [wait]: code that is generated at run time calls the
 * library that generated it, and a function of the program. The library checks
 * that the call comes from that code; the output "moved N" has the number of
 * other calls.
 *
 * WAY "program": the program itself makes the memory executable. "wait": prints
 * "generated" before the first call, and waits for a line.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/targets/generates.h"

#define CODE_BYTES 4096
#define THREADS    2
#define WORK_MIN   20000

static _Atomic int begun, is_over;

COUNTED long program_answer(long n);

COUNTED long program_answer(long n)
{
	return n * 2;
}

static unsigned char *put(unsigned char *at, const void *bytes, size_t count)
{
	memcpy(at, bytes, count);
	return at + count;
}

static unsigned char *put_call(unsigned char *at, const void *function)
{
	at = put(at, "\x48\xb8", 2); /* mov $function, %rax */
	at = put(at, &function, 8);
	return put(at, "\xff\xd0", 2); /* call *%rax */
}

static void generate(unsigned char *at)
{
	at = put(at, "\x53", 1);                 /* push %rbx */
	at = put(at, "\x48\x89\xfb", 3);         /* mov %rdi, %rbx */
	at = put(at, "\x48\x8d\x74\x24\xf8", 5); /* lea -8(%rsp), %rsi */
	at = put_call(at, (void *)library_answer);
	at = put(at, "\x48\x89\xdf", 3); /* mov %rbx, %rdi */
	at = put_call(at, (void *)program_answer);
	put(at, "\x5b\xc3", 2); /* pop %rbx; ret */
}

static void *work(void *unused)
{
	long sum = 0, calls = 0;

	while (!is_over || calls < WORK_MIN) {
		sum += library_work(calls);
		if (!calls++)
			begun++;
	}
	return (void *)(sum ? calls : 0);
}

static void *map(const char *way)
{
	if (strcmp(way, "program"))
		return library_map(way, CODE_BYTES);
	return mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "mmap";
	long calls = argc > 2 ? atol(argv[2]) : 1000, sum = 0, worked = 0;
	pthread_t threads[THREADS];
	unsigned char *code;
	void *result;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	/* behind a filter clew has no room for new threads */
	while (begun < THREADS)
		sched_yield();
	code = map(way);
	if (!code || code == MAP_FAILED)
		return 77;
	generate(code);
	library_code = (uintptr_t)code;
	library_code_bytes = CODE_BYTES;
	if (argc > 3) {
		puts("generated");
		fflush(stdout);
		getchar();
	}
	for (long i = 0; i < calls; i++)
		sum += ((generated)(void *)code)(i);
	is_over = 1;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		worked += (long)result;
	}
	printf("sum %ld\n", sum);
	if (strcmp(way, "program"))
		printf("moved %lu\n", library_moved);
	fprintf(stderr, "worked %ld\n", worked);
	return 3;
}
