/* SPDX-License-Identifier: MIT */
/*
 * The state of the random programs of program.py, and the moves that their
 * functions may make besides plain calls: moves/ has a file for each idea.
 * Every function counts itself (truth.h). A move that leaves a frame without a
 * return stores TRUTH_HERE, and restores it where execution continues.
 *
 * A thread has a budget of calls, so that any program ends, and its own random
 * numbers, so that it does the same natively and recorded.
 */
#ifndef CLEW_TESTS_RANDOM_PLAY_H
#define CLEW_TESTS_RANDOM_PLAY_H

#define TRUTH_JUMPS
#include "tests/targets/switch_stack.h"
#include "tests/targets/truth.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#define DEPTH_MAX 40

/* Each program uses only some of the moves. */
#define PLAYED COUNTED __attribute__((unused))

typedef long (*function)(long n);

enum landing_kind { LAND_PLAIN, LAND_MASK, LAND_BUILTIN, LAND_CONTEXT };

struct landing {
	enum landing_kind kind;
	sigjmp_buf place;
	void *builtin[5];
	ucontext_t *context;
	volatile int returned; /* number of returns from getcontext() */
};

/* State that belongs to a stack, and ends with it. */
struct surroundings {
	struct landing *landing;     /* destination of jumps */
	struct coroutine *coroutine; /* the running coroutine */
	struct slice *slice;         /* a slice that may be captured */
	int catchers; /* frames further out that catch exceptions */
	int depth;
	int is_small; /* the stack has no room for a copy of its slice */
	/* An alternate signal stack: the next handler overwrites its frames. */
	int is_alternate;
	int may_exit; /* the thread may exit, by pthread_exit() or cancellation */
	int may_end; /* the process may exit, by exit() */
};

struct play {
	uint64_t random;
	long budget;
	struct surroundings now;
	int threads, forks; /* how many may still be created */
	int sights;         /* how many observations may still be printed */
	int ends;           /* number of handlers of exit() */
	int is_crowd;       /* other threads run at the same time */
	int is_detaching; /* the thread has called pthread_exit() or the like */
	int is_ending;    /* the process has called exit() */
	long queued;      /* sum of queued signals' values */
	function pending; /* the function that a callback of libc will call */
	struct slice *restored;
};

#ifdef TRUTH_MAIN
TRUTH_THREAD_LOCAL struct play play __attribute__((tls_model("initial-exec")));
function volatile play_table[PLAY_FUNCTIONS];
#else
extern TRUTH_THREAD_LOCAL struct play play
	__attribute__((tls_model("initial-exec")));
extern function volatile play_table[PLAY_FUNCTIONS];
#endif

TRUTH_INLINE uint64_t draw(uint64_t below)
{
	play.random ^= play.random << 13;
	play.random ^= play.random >> 7;
	play.random ^= play.random << 17;
	return (play.random >> 11) % below;
}

TRUTH_INLINE int is_over(void)
{
	return --play.budget <= 0 || play.now.depth >= DEPTH_MAX;
}

/* Runs code on top of or beside a stack into which it must not jump. */
TRUTH_INLINE void be_apart(void)
{
	const struct surroundings outer = play.now;

	memset(&play.now, 0, sizeof(play.now));
	play.now.depth = outer.depth;
	play.now.is_small = outer.is_small;
	play.now.is_alternate = outer.is_alternate;
}

#include "tests/random/moves/exceptions.h"
#include "tests/random/moves/jumps.h"

#include "tests/random/moves/arguments.h"
#include "tests/random/moves/copies.h"
#include "tests/random/moves/coroutines.h"
#include "tests/random/moves/ends.h"
#include "tests/random/moves/faults.h"
#include "tests/random/moves/frames.h"
#include "tests/random/moves/libc.h"
#include "tests/random/moves/processes.h"
#include "tests/random/moves/registers.h"
#include "tests/random/moves/sees.h"
#include "tests/random/moves/signals.h"
#include "tests/random/moves/tails.h"
#include "tests/random/moves/threads.h"
#ifdef PLAY_NESTED /* as trampolines make all stacks executable */
#include "tests/random/moves/nested.h"
#endif

/* Prints the functions that the comparison leaves out, once for each module. */
TRUTH_INLINE void play_list(void)
{
	sees_list();
#ifdef __cplusplus
	exceptions_list();
#endif
}

#endif
