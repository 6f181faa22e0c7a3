/* SPDX-License-Identifier: MIT */
/*
 * contexts FANOUT DEPTH ROUNDS [AGAIN [FIFO | fork [FIFO]]]: a tree in which
 * each of FANOUT functions calls all of them, DEPTH levels below main -> grow.
 * There are FANOUT + FANOUT^2 + ... + FANOUT^DEPTH contexts of depth 3 and more,
 * and each is entered ROUNDS times. A truth tree would be too large, so main
 * prints the sums, which are known.
 *
 * A round through all contexts finds none of them in a cache again. With AGAIN
 * the two lowest levels below each node are walked that many times before the
 * round continues, as in programs that repeat work.
 *
 * With FIFO the program prints the sums, waits until another one opens that
 * file for writing, and makes one more round. With "fork" a forked child makes
 * one more round, of the lowest level only, and the program waits for the
 * child; or the child waits for FIFO, and the program ends before.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#define TRUTH_MAIN
#include "tests/targets/truth.h"

#define FUNCTIONS 16

typedef void (*grower)(unsigned int depth);

static unsigned int fanout;
static unsigned int again = 1;
static const grower growers[FUNCTIONS];

#define GROWER(number)                                                         \
	static COUNTED void grow_##number(unsigned int depth)                  \
	{                                                                      \
		unsigned int calls = depth == 2 ? fanout * again               \
				     : depth    ? fanout                       \
						: 0;                              \
                                                                               \
		for (unsigned int i = 0; i < calls; i++)                       \
			growers[i % fanout](depth - 1);                        \
	}
GROWER(0)
GROWER(1)
GROWER(2)
GROWER(3)
GROWER(4)
GROWER(5)
GROWER(6)
GROWER(7)
GROWER(8)
GROWER(9)
GROWER(10)
GROWER(11)
GROWER(12)
GROWER(13)
GROWER(14)
GROWER(15)

static const grower growers[FUNCTIONS] = {
	grow_0, grow_1, grow_2,  grow_3,  grow_4,  grow_5,  grow_6,  grow_7,
	grow_8, grow_9, grow_10, grow_11, grow_12, grow_13, grow_14, grow_15,
};

/* Calls the growers but is not one, so that every tree is below it. */
static COUNTED void grow(unsigned int depth)
{
	for (unsigned int i = 0; i < fanout; i++)
		growers[i](depth - 1);
}

int main(int argc, char **argv)
{
	unsigned long long contexts = 0;
	unsigned long long calls = 0;
	unsigned long long level = 1;
	unsigned int depth;
	unsigned int rounds;

	if (argc < 4)
		return 2;
	fanout = (unsigned int)atoi(argv[1]) % (FUNCTIONS + 1);
	depth = (unsigned int)atoi(argv[2]);
	rounds = (unsigned int)atoi(argv[3]);
	again = argc > 4 ? (unsigned int)atoi(argv[4]) : 1;
	for (unsigned int i = 0; i < rounds; i++)
		grow(depth);
	for (unsigned int i = 1; i <= depth; i++) {
		level *= fanout;
		contexts += level;
		calls += level * (i > 1 && i + 1 >= depth ? again : 1);
	}
	printf("contexts %llu calls %llu\n", contexts, calls * rounds);
	fflush(stdout);
	if (argc > 5 && strcmp(argv[5], "fork") == 0) {
		if (fork() == 0) {
			if (argc > 6 && open(argv[6], O_RDONLY | O_CLOEXEC) < 0)
				_exit(1);
			grow(1);
			_exit(0);
		}
		if (argc == 6)
			wait(NULL);
	} else if (argc > 5) {
		if (open(argv[5], O_RDONLY | O_CLOEXEC) < 0)
			return 1;
		grow(depth);
	}
	/* where there is a limit, calls from exit() would fold also */
	_exit(0);
}
