/* SPDX-License-Identifier: MIT */
/*
 * jitted FOLDER CALLS: generated code calls functions of this program. A perf
 * map in FOLDER has the names of the code. Prints "CALLER CALLEE CALLS" for
 * these calls, and for the calls of native functions.
 *
 * This is done in threads, below functions that generated code has called, in a
 * handler that interrupts all of it, in a forked child, and with jumps over it.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/targets/makers.h"
#include "tests/targets/plugins.h" /* COUNTED */

#define PIECE_BYTES 64
#define THREADS     3

typedef void callee(long caller);
typedef void piece(long turns, callee *function, long caller);

enum { FIRST, SECOND, TWICE, BESIDE, PIECES, NATIVE = PIECES, CALLERS };
enum { LEAF, UPCALLER, LEAVER, CALLEES };

static const char *const callers[CALLERS] = { "first", "second", "twice",
					      "beside", "native_part" };
static const char *const callees[CALLEES] = { "leaf", "upcaller", "leaver" };

/* Shared with a child. */
static _Atomic unsigned long (*truth)[CALLERS];
static unsigned char *memory;
static _Thread_local jmp_buf back;

COUNTED void leaf(long caller);
COUNTED void upcaller(long caller);
COUNTED void leaver(long caller);
COUNTED void native_part(long turns);

/* push %rbx, %r12, %r13; mov %rdi, %rbx; mov %rsi, %r12; mov %rdx, %r13 */
static const unsigned char begin[] = {
	0x53, 0x41, 0x54, 0x41, 0x55, 0x48, 0x89,
	0xfb, 0x49, 0x89, 0xf4, 0x49, 0x89, 0xd5
};
/* mov %r13, %rdi; call *%r12 */
static const unsigned char call[] = { 0x4c, 0x89, 0xef, 0x41, 0xff, 0xd4 };
/* dec %rbx; jnz (behind begin); pop %r13, %r12, %rbx; ret */
static const unsigned char end[] = { 0x48, 0xff, 0xcb, 0x75, 0,   0x41,
				     0x5d, 0x41, 0x5c, 0x5b, 0xc3 };

static piece *piece_of(int which)
{
	const void *code = memory + (long)which * PIECE_BYTES;
	piece *found;

	memcpy(&found, &code, sizeof(found));
	return found;
}

static void generate(int which, int calls)
{
	unsigned char *at = memory + (long)which * PIECE_BYTES;

	memcpy(at, begin, sizeof(begin));
	at += sizeof(begin);
	for (int i = 0; i < calls; i++, at += sizeof(call))
		memcpy(at, call, sizeof(call));
	memcpy(at, end, sizeof(end));
	at[4] = (unsigned char)-(calls * (int)sizeof(call) + 5);
}

static void announce(const char *folder)
{
	char path[4096];
	FILE *map;

	snprintf(path, sizeof(path), "%s/perf-%d.map", folder, (int)getpid());
	map = fopen(path, "we");
	if (!map)
		exit(EXIT_FAILURE);
	for (int i = 0; i < PIECES; i++)
		fprintf(map, "%llx %x %s\n",
			(unsigned long long)(uintptr_t)piece_of(i), PIECE_BYTES,
			callers[i]);
	fclose(map);
}

void leaf(long caller)
{
	truth[LEAF][caller]++;
}

void upcaller(long caller)
{
	truth[UPCALLER][caller]++;
	piece_of(SECOND)(2, leaf, SECOND);
}

void leaver(long caller)
{
	truth[LEAVER][caller]++;
	longjmp(back, 1);
}

void native_part(long turns)
{
	for (long i = 0; i < turns; i++)
		leaf(NATIVE);
}

static void handle(int signal)
{
	(void)signal;
	piece_of(BESIDE)(1, leaf, BESIDE);
}

static void jump_over(void)
{
	if (!setjmp(back))
		piece_of(FIRST)(1, leaver, FIRST);
}

static void *work(void *argument)
{
	const long calls = *(const long *)argument;

	for (long i = 0; i < calls; i++) {
		piece_of(FIRST)(1 + i % 3, leaf, FIRST);
		native_part(1);
		piece_of(TWICE)(2, upcaller, TWICE);
		native_part(2);
		jump_over();
		native_part(1);
	}
	return NULL;
}

static void work_in_threads(long *calls)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, calls);
	work(calls);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void work_in_child(long *calls)
{
	pid_t child = fork();

	if (child == 0) {
		work(calls);
		exit(EXIT_SUCCESS);
	}
	waitpid(child, NULL, 0);
}

static void interrupt(long us)
{
	const struct itimerval often = { { 0, us }, { 0, us } };

	signal(SIGPROF, handle);
	setitimer(ITIMER_PROF, &often, NULL);
}

int main(int argc, char **argv)
{
	long calls = argc > 2 ? atol(argv[2]) : 0;

	truth = mmap(NULL, CALLEES * sizeof(*truth), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (calls <= 0 || truth == MAP_FAILED || memory == MAP_FAILED)
		return EXIT_FAILURE;
	library_protect(memory, 4096);
	for (int i = 0; i < PIECES; i++)
		generate(i, i == TWICE ? 2 : 1);
	announce(argv[1]);
	interrupt(1000);
	work_in_threads(&calls);
	work_in_child(&calls);
	interrupt(0);
	for (int i = 0; i < CALLEES; i++)
		for (int k = 0; k < CALLERS; k++)
			if (truth[i][k])
				printf("%s %s %lu\n", callers[k], callees[i],
				       truth[i][k]);
	return 0;
}
