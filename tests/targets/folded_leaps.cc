/* SPDX-License-Identifier: MIT */
/*
 * __builtin_longjmp(), or an exception, out of a function whose frame contains
 * slots of functions that an earlier jump has left. These slots look like a
 * folded recursion and lead past the function that lands to a recursion that is
 * active.
 *
 *	main -> lands -> walks -> even -> odd -> even -> ... -> lands
 *	lands -> walks -> even -> odd -> ... -> odd -> walks -> leaps	is left
 *	lands -> walks -> leaps		has the innermost of these in the frame
 *					of walks, and overwrites the outermost
 *
 * Before that the same is done where no such recursion is active, so that the
 * slots lead nowhere.
 *
 *	main -> looks -> walks -> even -> odd -> ... -> odd -> walks -> leaps
 *	looks -> walks -> check
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#define LEVELS      12
#define FRAME_BYTES 1024
#define CHECKS      100
#define COVER_BYTES (4 * FRAME_BYTES)
#define ROOM_BYTES  (3 * LEVELS * FRAME_BYTES)

static volatile unsigned int sink;
static volatile long checks; /* instead of a leap */
static volatile int throws;  /* not 0: throw instead of a leap */
static int lands_by_throwing;
static void *place[5];

static COUNTED void even(long levels);
static COUNTED void lands(long levels);

static COUNTED void after(void)
{
	ENTER(after);
	sink++;
	LEAVE();
}

static COUNTED void check(void)
{
	ENTER(check);
	sink++;
	LEAVE();
}

static COUNTED void leaps(void)
{
	ENTER(leaps);
	if (throws)
		throw 1;
	__builtin_longjmp(place, 1);
}

/* levels: of the recursion inside; 0: none, but room for the remains of one. */
static COUNTED void walks(long levels, long bytes, long covered)
{
	volatile char room[bytes];

	ENTER(walks);
	room[0] = 0;
	for (long i = bytes - covered; i < bytes; i++)
		room[i] = 0;
	if (levels)
		even(levels);
	else if (checks)
		for (long i = checks; i > 0; i--)
			check();
	else
		leaps();
	LEAVE();
	sink += (unsigned int)room[0];
}

static COUNTED void odd(long levels)
{
	volatile char room[FRAME_BYTES];

	ENTER(odd);
	room[0] = 0;
	if (levels < 0)
		even(levels + 1);
	else if (levels > 1)
		even(levels - 1);
	else
		walks(0, 16, 0);
	LEAVE();
	sink += (unsigned int)room[0];
}

/* levels < 0: recurse to the function that lands. */
static COUNTED void even(long levels)
{
	volatile char room[FRAME_BYTES];

	ENTER(even);
	room[0] = 0;
	if (levels)
		odd(levels);
	else
		lands(0);
	LEAVE();
	sink += (unsigned int)room[0];
}

/* levels: passed to walks(), or 0. */
static COUNTED void lands(long levels)
{
	volatile uint32_t here;

	ENTER(lands);
	here = TRUTH_HERE;
	if (levels) {
		walks(levels, 16, 0);
		LEAVE();
		return;
	}
	if (!__builtin_setjmp(place))
		walks(LEVELS, 16, 0);
	TRUTH_HERE = here;
	after();
	throws = lands_by_throwing;
	try {
		if (!__builtin_setjmp(place))
			walks(0, ROOM_BYTES, COVER_BYTES);
	} catch (int) {
	}
	throws = 0;
	TRUTH_HERE = here;
	after();
	LEAVE();
}

static COUNTED void looks(void)
{
	volatile uint32_t here;

	ENTER(looks);
	here = TRUTH_HERE;
	if (!__builtin_setjmp(place))
		walks(LEVELS, 16, 0);
	TRUTH_HERE = here;
	checks = CHECKS;
	walks(0, ROOM_BYTES, COVER_BYTES);
	checks = 0;
	LEAVE();
}

int main(void)
{
	ENTER(main);
	looks();
	lands(-LEVELS);
	lands_by_throwing = 1;
	lands(-LEVELS);
	LEAVE();
	truth_write();
	return 0;
}
