/* SPDX-License-Identifier: MIT */
/*
 * __builtin_longjmp() over counted frames: the compiler's code jumps without a
 * library function. Contexts must be exact right after each landing.
 *
 * IS_BY_HAND: the same by assembly of the program (leaps_x86_64.S), as in
 * runtimes of languages. IS_LIBRARY: in a library, which calls that through its
 * procedure linkage table.
 */
#ifndef IS_LIBRARY
#define TRUTH_MAIN
#endif
#include "tests/targets/truth.h"

#include <signal.h>
#include <string.h>

#ifdef IS_BY_HAND
typedef uint64_t place[8];

int leaps_set(place landing) __attribute__((returns_twice));
void leaps_jump(place landing); /* compilers need no attribute for this one */
#define SET(place)  leaps_set(place)
#define JUMP(place) leaps_jump(place)
#else
typedef void *place[5];

#define SET(place)  __builtin_setjmp(place)
#define JUMP(place) __builtin_longjmp(place, 1)
#endif

static place landing, inner, interrupted;

static COUNTED void after(void)
{
	ENTER(after);
	LEAVE();
}

static COUNTED void leaps(int depth)
{
	ENTER(leaps);
	if (depth)
		leaps(depth - 1);
	else
		JUMP(landing);
	after();
	LEAVE();
}

static COUNTED void lands(int depth)
{
	volatile uint32_t here;

	ENTER(lands);
	here = TRUTH_HERE;
	if (!SET(landing)) {
		leaps(depth);
		abort(); /* the jump must continue at SET(), not here */
	}
	TRUTH_HERE = here;
	after();
	LEAVE();
}

/* The callers of the function that lands must also stay correct. */
static COUNTED void outer(int depth)
{
	ENTER(outer);
	if (depth % 3)
		outer(depth - 1);
	else
		lands(depth);
	after();
	LEAVE();
}

static COUNTED void leaps_inside(int depth)
{
	ENTER(leaps_inside);
	if (depth)
		leaps_inside(depth - 1);
	else
		JUMP(inner);
	after();
	LEAVE();
}

/* Lands repeatedly in a loop; in the end another landing ends this function. */
static COUNTED void lands_often(int depth)
{
	volatile uint32_t here;
	volatile int times = 0;

	ENTER(lands_often);
	here = TRUTH_HERE;
	if (!SET(inner))
		times = 0;
	TRUTH_HERE = here;
	after();
	times = times + 1;
	if (times < 5)
		leaps_inside(depth + times);
	leaps(depth);
	LEAVE();
}

static COUNTED void nests(int depth)
{
	volatile uint32_t here;

	ENTER(nests);
	here = TRUTH_HERE;
	if (!SET(landing)) {
		lands_often(depth);
		abort();
	}
	TRUTH_HERE = here;
	after();
	LEAVE();
}

static COUNTED void on_signal(int number)
{
	ENTER(on_signal);
	after();
	JUMP(interrupted);
}

static COUNTED void raises(int number)
{
	ENTER(raises);
	raise(number);
	LEAVE();
}

/* Jumps out of a handler. */
static COUNTED void lands_from_handler(int number)
{
	volatile uint32_t here;
	sigset_t mask;

	ENTER(lands_from_handler);
	here = TRUTH_HERE;
	if (!SET(interrupted)) {
		raises(number);
		abort();
	}
	TRUTH_HERE = here;
	sigemptyset(&mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	after();
	LEAVE();
}

static char signal_stack[1 << 16];

static COUNTED void run(void)
{
	ENTER(run);
	for (int i = 0; i < 200; i++) {
		outer(i % 30);
		nests(i % 7);
		after();
	}
	for (int i = 0; i < 20; i++) {
		lands_from_handler(SIGUSR1);
		after();
	}
	LEAVE();
}

#ifdef IS_LIBRARY
int leaps_in_library(void);
int leaps_in_library(void)
#else
int main(void)
#endif
{
	const stack_t stack = { .ss_sp = signal_stack,
				.ss_size = sizeof(signal_stack) };
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	run();
	puts("landed");
	truth_write();
	return sigaltstack(&stack, NULL) != 0;
}
