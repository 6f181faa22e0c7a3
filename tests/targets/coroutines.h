/* SPDX-License-Identifier: MIT */
/*
 * What a coroutine does in both of the coroutine tests: descend, and at the
 * bottom and on the way back hand the processor over, then call on.
 */
#ifndef CLEW_TESTS_COROUTINES_H
#define CLEW_TESTS_COROUTINES_H

#include "tests/targets/coroutine_stacks.h"

#define YIELDS 15 /* two on every level of the descent, one on every other */
#define LEVELS 6

static COUNTED void after(void)
{
	ENTER(after);
	LEAVE();
}

/* Hands over; when it comes back TRUTH_HERE is what it was. */
static void coroutine_yield(void);

/* In the place of one that has handed over, and may hand over itself. */
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
