/* SPDX-License-Identifier: MIT */
/*
 * Coroutines on one stack, by setjmp. The slice of each is copied away while
 * another one runs, and later restored.
 *
 *	copied_jump COPYING JUMPING
 *
 * JUMPING: "after" if the copy is made between setjmp and longjmp, "before" if
 * it is made before, "builtin" if the compiler implements both.
 */
#define TRUTH_MAIN
#define TRUTH_JUMPS
#include "tests/targets/copying.h"

#include <setjmp.h>

struct coroutine {
	struct slice slice;
	jmp_buf env;
	void *builtin_env[5];
	int has_begun;
	int has_ended;
};

static struct coroutine coroutines[COROUTINES];
static struct coroutine *running;
static jmp_buf main_env;
static void *main_builtin_env[5];
static volatile uint32_t main_here; /* read again after a jump */
static const char *end;
static enum { AFTER, BEFORE, BUILTIN } jumping;

static COUNTED void save(void)
{
	ENTER(save);
	slice_begin(&running->slice, __builtin_frame_address(0), end);
	LEAVE();
}

static __attribute__((noreturn, noinline)) void leave(void)
{
	ENTER(leave);
	if (jumping == BUILTIN)
		__builtin_longjmp(main_builtin_env, 1);
	_longjmp(main_env, 1);
}

static COUNTED void yield_to_jump(void)
{
	const uint32_t here = TRUTH_HERE;

	if (jumping == BUILTIN) {
		if (!__builtin_setjmp(running->builtin_env)) {
			save();
			leave();
		}
	} else if (jumping == AFTER) {
		if (!_setjmp(running->env)) {
			save();
			leave();
		}
	} else {
		save();
		if (!_setjmp(running->env))
			leave();
	}
	TRUTH_HERE = here;
}

static COUNTED void coroutine_yield(void)
{
	const uint32_t here = TRUTH_HERE;

	ENTER(coroutine_yield);
	ENTER(yield_to_jump);
	yield_to_jump();
	TRUTH_HERE = here;
}

/* Runs below the slice, to avoid overwriting its own frame. */
static COUNTED void restore(void)
{
	char room[4096];

	ENTER(restore);
	__asm__ volatile("" : : "r"(room) : "memory");
	if ((char *)__builtin_frame_address(0) > running->slice.low - 8192) {
		restore();
	} else {
		slice_restore(&running->slice);
		if (jumping == BUILTIN)
			__builtin_longjmp(running->builtin_env, 1);
		_longjmp(running->env, 1);
	}
	__asm__ volatile("" : : "r"(room) : "memory"); /* no tail call */
	LEAVE();
}

static COUNTED void begin(void)
{
	ENTER(begin);
	work((int)(running - coroutines));
	running->has_ended = 1;
	leave();
}

/* The frame of run() is the outermost part of all slices. */
static COUNTED void run(void)
{
	ENTER(run);
	end = __builtin_frame_address(0);
	main_here = TRUTH_HERE;
	if (jumping == BUILTIN ? !__builtin_setjmp(main_builtin_env)
			       : !_setjmp(main_env)) {
		if (running->has_begun)
			restore();
		running->has_begun = 1;
		begin();
	}
	TRUTH_HERE = main_here;
	LEAVE();
}

/*
 * run_first() and run_second() call run() from frames of the same size, so that
 * slices fit below both.
 */
static COUNTED void run_first(void)
{
	ENTER(run_first);
	run();
	after();
	LEAVE();
}

static COUNTED void run_second(void)
{
	ENTER(run_second);
	run();
	after();
	LEAVE();
}

static COUNTED int turn(int turns)
{
	int live = 0;

	ENTER(turn);
	for (int i = 0; i < COROUTINES; i++) {
		running = &coroutines[i];
		if (running->has_ended)
			continue;
		if ((turns + i) % 2)
			run_first();
		else
			run_second();
		trample((turns + i) % 5);
		live++;
	}
	LEAVE();
	return live;
}

int main(int argc, char **argv)
{
	int turns = 0;

	ENTER(main);
	if (argc != 3 || !copy_choose(argv[1]))
		return 2;
	jumping = !strcmp(argv[2], "builtin")  ? BUILTIN
		  : !strcmp(argv[2], "before") ? BEFORE
					       : AFTER;
	while (turn(turns))
		turns++;
	for (int i = 0; i < COROUTINES; i++)
		printf("%d\n", sums[i]);
	LEAVE();
	truth_write();
	return 0;
}
