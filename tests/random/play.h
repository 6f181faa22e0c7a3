/* SPDX-License-Identifier: MIT */
/*
 * What the random programs of program.py are made of: the moves that a function
 * may make besides plain calls. Every function counts itself (truth.h); a move
 * that leaves a frame by another way than a return keeps TRUTH_HERE and puts it
 * back where execution goes on.
 *
 * A thread has a budget of calls, so that any program ends, and its own random
 * numbers, so that it does the same natively and recorded.
 */
#ifndef CLEW_TESTS_RANDOM_PLAY_H
#define CLEW_TESTS_RANDOM_PLAY_H

#include "tests/targets/switch_stack.h"
#include "tests/targets/truth.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#define DEPTH_MAX         40
#define COROUTINE_BYTES   (256 * 1024)
#define SLICE_BYTES       (64 * 1024)
#define COROUTINE_RETURNS 16

/* Not every program makes every move. */
#define PLAYED COUNTED __attribute__((unused))

typedef long (*function)(long n);

enum landing_kind { LAND_PLAIN, LAND_MASK, LAND_BUILTIN };

struct landing {
	enum landing_kind kind;
	sigjmp_buf place;
	void *builtin[5];
};

/* The state of one coroutine, on a stack of its own. */
struct coroutine {
	ucontext_t own, resumer;
	void *own_sp, *resumer_sp; /* of switch_stack() */
	char *stack;
	function body;
	int by_hand, is_mapped, is_over;
	uint32_t turns;
};

/* A slice of the stack that was copied away, to be put back. */
struct slice {
	char *base, *low, *copy;
	size_t bytes;
	jmp_buf place;
	int replays;
};

/* What surrounds a frame, and ends with its stack. */
struct surroundings {
	struct landing *landing;     /* where a jump may lead */
	struct coroutine *coroutine; /* that is running */
	struct slice *slice;         /* that may be captured */
	int catchers;                /* of exceptions, further out */
	int depth;
	int is_small;     /* a stack that has no room for a copy of its slice */
	int is_alternate; /* a handler's: who leaves it loses it to the next */
};

struct play {
	uint64_t random;
	long budget;
	struct surroundings now;
	int threads, forks; /* that may yet be made */
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

/* For what runs on top of, or beside, a stack that it must not jump into. */
TRUTH_INLINE void be_apart(void)
{
	int depth = play.now.depth, is_small = play.now.is_small;

	memset(&play.now, 0, sizeof(play.now));
	play.now.depth = depth;
	play.now.is_small = is_small;
}

/* ---- Jumps ---- */

#ifdef __cplusplus
#define BUILTIN_JUMP(landing) abort()
#else
#define BUILTIN_JUMP(landing) __builtin_longjmp((landing)->builtin, 1)
#endif

/* A macro, as a function that jumps so is never inlined. */
#define MOVE_JUMP()                                                            \
	do {                                                                   \
		struct landing *to = play.now.landing;                         \
		if (!to || draw(3) == 0)                                       \
			break;                                                 \
		if (to->kind == LAND_PLAIN)                                    \
			longjmp(to->place, 1);                                 \
		if (to->kind == LAND_MASK)                                     \
			siglongjmp(to->place, 1);                              \
		BUILTIN_JUMP(to);                                              \
	} while (0)

/*
 * SET is the test of a setjmp of some kind; the body may land there. What is
 * kept is volatile, or in memory: registers are not what they were.
 */
#define LANDING(KIND, SET, BODY)                                               \
	do {                                                                   \
		struct landing landing;                                        \
		volatile uint32_t here = TRUTH_HERE;                           \
		struct surroundings volatile outer;                            \
		memcpy((void *)(uintptr_t)&outer, &play.now, sizeof(outer));   \
		landing.kind = KIND;                                           \
		if (!(SET)) {                                                  \
			play.now.landing = &landing;                           \
			BODY;                                                  \
		}                                                              \
		memcpy(&play.now, (void *)(uintptr_t)&outer, sizeof(outer));   \
		TRUTH_HERE = here;                                             \
	} while (0)

/* ---- Signals ---- */

static PLAYED void play_handler(int number)
{
	struct surroundings outer = play.now;

	ENTER(play_handler);
	be_apart();
	play.now.depth = outer.depth + 1;
	play.now.is_small = 1;
	play.now.is_alternate = 1;
	if (outer.landing && outer.landing->kind == LAND_MASK)
		play.now.landing = outer.landing;
	if (!is_over())
		play_table[(uint64_t)number % PLAY_FUNCTIONS](number);
	play.now = outer;
	LEAVE();
}

/* What an unmasking lets in comes before it returns: number is blocked. */
TRUTH_INLINE void move_pending(int number)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	raise(number);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- Callbacks of libc's ---- */

static PLAYED int play_compare(const void *key, const void *element)
{
	ENTER(play_compare);
	if (!is_over())
		(*(const function *)key)(7);
	LEAVE();
	return 0;
}

/* One element, so it is asked of once. */
TRUTH_INLINE void move_callback(function body)
{
	char element = 0;

	bsearch(&body, &element, 1, 1, play_compare);
}

/* ---- Children ---- */

TRUTH_INLINE void move_fork(function body, long n)
{
	pid_t child;

	if (play.forks <= 0)
		return;
	play.forks--;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		const int is_alternate = play.now.is_alternate;

		TRUTH_FORKED();
		be_apart();
		play.now.is_alternate = is_alternate;
		play.budget = play.budget < 200 ? play.budget : 200;
		play.forks = 0;
		play.threads = 0;
		body(n);
		truth_write();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* ---- Threads ---- */

struct start {
	function body;
	uint64_t random;
	long budget;
	long result;
};

static PLAYED void *play_thread(void *data)
{
	struct start *start = (struct start *)data;

	ENTER_ROOT(play_thread);
	play.random = start->random;
	play.budget = start->budget;
	start->result = start->body((long)(start->random % 100));
	LEAVE();
	return NULL;
}

TRUTH_INLINE long move_thread(function body)
{
	struct start start = { body, draw(1 << 30) + 1, 300, 0 };
	pthread_t thread;

	if (play.threads <= 0)
		return 0;
	play.threads--;
	if (pthread_create(&thread, NULL, play_thread, &start) == 0)
		pthread_join(thread, NULL);
	return start.result;
}

/* ---- Coroutines on stacks of their own ---- */

/* Functions of their own: clang never inlines who calls swapcontext(). */
static PLAYED void coroutine_leave(struct coroutine *coroutine)
{
	uint32_t here;

	ENTER(coroutine_leave);
	here = TRUTH_HERE;
	if (coroutine->by_hand) {
		ENTER(switch_stack);
		switch_stack(&coroutine->own_sp, coroutine->resumer_sp);
	} else {
		swapcontext(&coroutine->own, &coroutine->resumer);
	}
	TRUTH_HERE = here;
	LEAVE();
}

TRUTH_INLINE void move_yield(void)
{
	struct surroundings outer = play.now;
	struct coroutine *coroutine = outer.coroutine;

	if (!coroutine)
		return;
	coroutine_leave(coroutine);
	play.now = outer;
}

static PLAYED void play_coroutine(void)
{
	struct coroutine *coroutine = play.now.coroutine;
	uint32_t here;

	ENTER_ROOT(play_coroutine);
	here = TRUTH_HERE;
	if (!is_over())
		coroutine->body((long)coroutine->turns);
	TRUTH_HERE = here;
	for (;;) {
		coroutine->is_over = 1;
		coroutine_leave(coroutine);
	}
}

static PLAYED void coroutine_resume(struct coroutine *coroutine)
{
	struct surroundings outer = play.now;
	uint32_t here;

	ENTER(coroutine_resume);
	here = TRUTH_HERE;
	be_apart();
	play.now.coroutine = coroutine;
	play.now.is_small = 1;
	coroutine->turns++;
	if (coroutine->by_hand) {
		ENTER(switch_stack);
		switch_stack(&coroutine->resumer_sp, coroutine->own_sp);
	} else {
		swapcontext(&coroutine->resumer, &coroutine->own);
	}
	play.now = outer;
	TRUTH_HERE = here;
	LEAVE();
}

/* A function of its own: whoever calls getcontext() is never inlined. */
static PLAYED void coroutine_prepare(struct coroutine *coroutine)
{
	void **sp;

	ENTER(coroutine_prepare);
	if (coroutine->by_hand) {
		sp = (void **)(void *)(coroutine->stack + COROUTINE_BYTES);
		*--sp = NULL; /* the return address, and the alignment */
		*--sp = (void *)(uintptr_t)play_coroutine;
		sp -= SAVED_REGISTERS;
		memset(sp, 0, SAVED_REGISTERS * sizeof(*sp));
		coroutine->own_sp = sp;
		LEAVE();
		return;
	}
	getcontext(&coroutine->own);
	coroutine->own.uc_stack.ss_sp = coroutine->stack;
	coroutine->own.uc_stack.ss_size = COROUTINE_BYTES;
	coroutine->own.uc_link = NULL;
	makecontext(&coroutine->own, play_coroutine, 0);
	LEAVE();
}

/*
 * Runs a coroutine to its end, with some work of ours between its turns. None of
 * that captures a slice: the coroutine's stack would not come back with it.
 */
TRUTH_INLINE long move_coroutine(function body, function between, int by_hand,
				 int is_mapped)
{
	struct slice *slice = play.now.slice;
	struct coroutine coroutine;
	long n = 0;

	if (play.now.is_alternate)
		return 0;
	play.now.slice = NULL;
	memset(&coroutine, 0, sizeof(coroutine));
	coroutine.body = body;
	coroutine.by_hand = by_hand;
	coroutine.is_mapped = is_mapped;
	coroutine.stack =
		is_mapped ? (char *)mmap(NULL, COROUTINE_BYTES,
					 PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
			  : (char *)malloc(COROUTINE_BYTES);
	coroutine_prepare(&coroutine);
	while (!coroutine.is_over && coroutine.turns < COROUTINE_RETURNS) {
		coroutine_resume(&coroutine);
		n += between(n);
	}
	if (!coroutine.is_mapped) /* mappings stay: an end like any other */
		free(coroutine.stack);
	play.now.slice = slice;
	return n;
}

/* ---- Slices of the stack, copied away and put back ---- */

/* Not more than there may be, and with the red zone below sp. */
TRUTH_INLINE void slice_take(struct slice *slice, char *sp)
{
	slice->low = sp - 256;
	slice->bytes = (size_t)(slice->base - slice->low);
	if (slice->bytes > SLICE_BYTES)
		return;
	slice->copy = (char *)malloc(slice->bytes);
	memcpy(slice->copy, slice->low, slice->bytes);
}

/* A macro, as a function that calls setjmp() is never inlined. */
#define MOVE_CAPTURE()                                                         \
	do {                                                                   \
		struct surroundings volatile outer;                            \
		volatile uint32_t here = TRUTH_HERE;                           \
		memcpy((void *)(uintptr_t)&outer, &play.now, sizeof(outer));   \
		if (!play.now.slice || play.now.slice->copy)                   \
			break;                                                 \
		if (setjmp(play.now.slice->place) == 0) {                      \
			char *sp;                                              \
			__asm__ volatile("mov %%rsp, %0" : "=r"(sp));          \
			slice_take(play.now.slice, sp);                        \
		} else {                                                       \
			memcpy(&play.now, (void *)(uintptr_t)&outer,           \
			       sizeof(outer));                                 \
			TRUTH_HERE = here;                                     \
		}                                                              \
	} while (0)

/* From far below what it writes over, its own frame among that. */
static PLAYED void play_restore(void)
{
	volatile char pad[2 * SLICE_BYTES];

	ENTER(play_restore);
	pad[0] = pad[sizeof(pad) - 1] = 0;
	memcpy(play.restored->low, play.restored->copy, play.restored->bytes);
	longjmp(play.restored->place, 1);
}

/* The body may capture its part of the stack; it is then lived through again. */
TRUTH_INLINE long move_replay(function body, long n)
{
	struct surroundings outer = play.now;
	struct slice *slice;
	struct slice *volatile kept;
	long result;

	if (outer.is_small)
		return body(n);
	kept = slice = (struct slice *)calloc(1, sizeof(*slice));
	slice->base = (char *)__builtin_frame_address(0);
	slice->replays = 2;
	be_apart();
	play.now.depth = outer.depth;
	play.now.slice = slice;
	result = body(n);
	play.now = outer;
	if (kept->copy && kept->replays-- > 0) {
		play.restored = kept;
		play_restore();
	}
	free(kept->copy);
	free(kept);
	return result;
}

#endif
