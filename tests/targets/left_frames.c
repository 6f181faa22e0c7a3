/* SPDX-License-Identifier: MIT */
/*
 * Threads that call functions all the time, deep in their stacks, until a line
 * arrives on standard input. Then each waits in a function that has not
 * overwritten the remains in its frame, and a line "waiting" is printed. Ends
 * with standard input.
 *
 *	left_frames THREADS
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS_MAX 64
#define ROOM_BYTES  (64 << 10)

static _Atomic int is_enough, waiting;
static int pipe_ends[2];

static __attribute__((noinline)) void leaf(void)
{
	__asm__ volatile("");
}

static __attribute__((noinline)) void call_all_the_time(void)
{
	while (!atomic_load_explicit(&is_enough, memory_order_relaxed))
		leaf();
}

static __attribute__((noinline)) void call_below(void)
{
	char room[ROOM_BYTES / 2];

	__asm__ volatile("" : : "r"(room) : "memory");
	call_all_the_time();
	__asm__ volatile("" : : "r"(room) : "memory");
}

static __attribute__((noinline)) void wait_above(void)
{
	char room[ROOM_BYTES];

	__asm__ volatile("" : : "r"(room) : "memory");
	atomic_fetch_add(&waiting, 1);
	while (read(pipe_ends[0], room, 1) > 0)
		;
}

static void *run(void *unused)
{
	call_below();
	wait_above();
	return NULL;
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t threads[THREADS_MAX];

	if (count > THREADS_MAX || pipe(pipe_ends))
		return 2;
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	puts("running");
	fflush(stdout);
	getchar();
	atomic_store(&is_enough, 1);
	while (atomic_load(&waiting) < count)
		usleep(1000);
	puts("waiting");
	fflush(stdout);
	while (getchar() != EOF)
		;
	close(pipe_ends[1]);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
