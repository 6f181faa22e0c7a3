/* SPDX-License-Identifier: MIT */
/*
 * Creates holes in its memory, works in ever more contexts, and prints how many
 * holes were filled.
 */
#define TRUTH_MAIN
#define TRUTH_NODES (1 << 19)
#include "tests/targets/truth.h"

#include <sys/mman.h>

#define HOLES  12
#define ROUNDS 4

static COUNTED int left(int n);
static COUNTED int right(int n);

static COUNTED int left(int n)
{
	ENTER(left);
	if (n)
		n = n & 1 ? left(n / 2) : right(n / 2);
	LEAVE();
	return n;
}

static COUNTED int right(int n)
{
	ENTER(right);
	if (n)
		n = n & 1 ? left(n / 2) : right(n / 2);
	LEAVE();
	return n;
}

static COUNTED void work(int from, int to)
{
	ENTER(work);
	for (int i = from; i < to; i++)
		left(i);
	LEAVE();
}

static COUNTED size_t hole_bytes(int i)
{
	ENTER(hole_bytes);
	LEAVE();
	return (size_t)4096 << (2 * i % 17);
}

static COUNTED char *make_hole(size_t bytes)
{
	char *at;

	ENTER(make_hole);
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	LEAVE();
	return at;
}

static COUNTED int is_hole(char *at, size_t bytes)
{
	void *got;

	ENTER(is_hole);
	got = mmap(at, bytes, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			   MAP_FIXED_NOREPLACE,
		   -1, 0);
	if (got == at)
		munmap(at, bytes);
	LEAVE();
	return got == at;
}

int main(void)
{
	char *holes[HOLES];
	int filled = 0;

	ENTER(main);
	for (int i = 0; i < HOLES; i++)
		holes[i] = make_hole(hole_bytes(i));
	for (int i = 0; i < HOLES; i++)
		munmap(holes[i], hole_bytes(i));
	for (int round = 0; round < ROUNDS; round++) {
		work(20000 * round, 20000 * (round + 1));
		for (int i = 0; i < HOLES; i++)
			filled += !is_hole(holes[i], hole_bytes(i));
	}
	printf("filled: %d\n", filled);
	LEAVE();
	truth_write();
	return 0;
}
