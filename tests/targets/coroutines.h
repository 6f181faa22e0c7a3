/* SPDX-License-Identifier: MIT */
/*
 * The work of a coroutine in both coroutine tests: it descends, yields on the
 * way down and on the way back, and continues to call after each yield.
 */
#ifndef CLEW_TESTS_COROUTINES_H
#define CLEW_TESTS_COROUTINES_H

#include "tests/targets/coroutine_stacks.h"

/* two on every level of the descent, and one on every second level */
#define YIELDS 15
#define LEVELS 6

static COUNTED void after(void)
{
	ENTER(after);
	LEAVE();
}

/* Yields. When it returns, TRUTH_HERE has its former value. */
static void coroutine_yield(void);

/* A tail call from a function that has yielded; it may yield again. */
static COUNTED int conclude(int level)
{
	const int has_more = level % 2;

	ENTER(conclude);
	if (has_more)
		coroutine_yield();
	after();
	LEAVE();
	return level;
}

static COUNTED int descend(int level)
{
	ENTER(descend);
	coroutine_yield();
	after();
	if (level > 1)
		descend(level - 1);
	coroutine_yield();
	after();
	RETURN_CALL(int, conclude(level));
}

static COUNTED void coroutine_main(void)
{
	ENTER_ROOT(coroutine_main);
	after();
	descend(LEVELS);
	after();
	LEAVE();
}

#endif
