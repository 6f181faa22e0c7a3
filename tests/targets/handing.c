/* SPDX-License-Identifier: MIT */
/*
 * handing: first() jumps to second(), which jumps to third(), which allocates,
 * locks and queries its context; even() and odd() jump to each other. Repeats
 * this as often as its argument says, or each line of input, and prints the
 * number of wrong answers.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/clew.h"

#ifdef __clang__
#define OWN __attribute__((noinline))
#else
#define OWN __attribute__((noipa))
#endif

#define ROOM 16

int main(int argc, char **argv);
long first(long n);
long second(long n);
long third(long n);
long last(long n);
long odd(long n);
long even(long n);

static volatile long sink;
static void *volatile kept;
static long errors, answers;
static uint64_t asked; /* the context's id in third() */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const void *const whole[] = { third, second, first, main };
static const void *const cut_chain[] = { last, odd, even, main };

/*
 * Queries the context `id` and compares it with `chain`. Inlined, so that its
 * caller is the innermost function.
 */
static inline __attribute__((always_inline)) void ask(
	uint64_t id, const void *const chain[4], int is_running)
{
	struct clew_frame frames[ROOM];
	const int count = clew_stack(id, frames, ROOM);

	errors += count < 4 || clew_depth(id) != (uint32_t)count;
	for (int i = 0; i < 4 && i < count; i++, id = clew_parent(id))
		errors += frames[i].id != id ||
			  frames[i].function != chain[i] ||
			  (frames[i].site != NULL) != is_running ||
			  /*
			 * A function that has jumped returns where its callee
			 * returns.
			 */
			  (i < 3 && frames[i].site != frames[0].site);
	/* more if a hooked function calls main() */
	errors += (count == 4) != (id == 0);
	answers++;
}

OWN long third(long n)
{
	const struct clew_here here = clew_context();

	kept = malloc(1000);
	pthread_mutex_lock(&mutex);
	sink += n;
	pthread_mutex_unlock(&mutex);
	if (here.flags & CLEW_IS_RECORDED) {
		errors += clew_id() != here.id;
		asked = here.id;
		ask(here.id, whole, 1);
	}
	return sink;
}

OWN long second(long n)
{
	sink++;
	return third(n);
}

OWN long first(long n)
{
	sink += 2;
	return second(n);
}

OWN long last(long n)
{
	const struct clew_here here = clew_context();

	if (here.flags & CLEW_IS_RECORDED)
		ask(here.id, cut_chain, 1);
	sink += n;
	return sink;
}

OWN long odd(long n)
{
	sink += 3;
	return n ? even(n - 1) : last(0);
}

OWN long even(long n)
{
	sink += 4;
	return n ? odd(n - 1) : last(1);
}

int main(int argc, char **argv)
{
	char line[32];

	while (argc > 1 || fgets(line, sizeof(line), stdin)) {
		const long rounds = atol(argc > 1 ? argv[1] : line);

		asked = 0;
		errors = 0;
		for (long i = 0; i < rounds; i++) {
			sink += first(i) + 1;
			sink += even(7) + 1;
		}
		if (asked)
			ask(asked, whole, 0);
		if (getenv("HANDING_TELLS"))
			printf("%ld answers, ", answers);
		printf("%ld errors\n", errors);
		fflush(stdout);
		if (argc > 1)
			return 0;
	}
	return 0;
}
