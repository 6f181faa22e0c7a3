/* SPDX-License-Identifier: MIT */
/*
 * longjmp() to a function whose frame contains slots of functions that an
 * earlier jump left. All of them have trampolines, because the innermost one
 * called setjmp(). With folded recursion, such a slot looks like that of the
 * next caller of setjmp(), which then overwrites it. Slots on both sides of the
 * frame look like the chain of callers past that function.
 *
 *	main -> outer -> lands -> begins -> remembers -> ...	is left
 *	main -> outer -> lands -> outer -> leaps has some of these in each frame
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <setjmp.h>

#define LEVELS      2000
#define FRAME_BYTES 8192 /* more than clew itself writes below a call */
#define CHECKS      1000

enum step { REMEMBERS, JUMPS, LEAPS };

static volatile unsigned int sink;
static jmp_buf place, other;

static COUNTED void check(void)
{
	ENTER(check);
	sink++;
	LEAVE();
}

static COUNTED void leaps(void)
{
	ENTER(leaps);
	longjmp(place, 1);
}

static COUNTED void remembers(long levels)
{
	ENTER(remembers);
	if (levels > 0)
		remembers(levels - 1);
	else if (setjmp(other) == 0)
		longjmp(place, 1);
	LEAVE();
	sink++;
}

static COUNTED void begins(void)
{
	ENTER(begins);
	remembers(LEVELS);
	LEAVE();
	sink++;
}

static COUNTED void outer(long bytes, enum step step);

static COUNTED void lands(enum step step)
{
	volatile char room[FRAME_BYTES];
	volatile uint32_t here;

	ENTER(lands);
	here = TRUTH_HERE;
	if (setjmp(place) == 0) {
		if (step == REMEMBERS)
			begins();
		for (int i = 0; i < FRAME_BYTES; i++)
			room[i] = 0;
		outer(FRAME_BYTES, LEAPS);
	}
	TRUTH_HERE = here;
	for (int i = 0; i < CHECKS; i++)
		check();
	LEAVE();
	sink += (unsigned int)room[0];
}

static COUNTED void outer(long bytes, enum step step)
{
	volatile char room[bytes];

	ENTER(outer);
	room[0] = 0;
	if (step == LEAPS)
		leaps();
	else
		lands(step);
	LEAVE();
	sink += (unsigned int)room[0];
}

int main(void)
{
	ENTER(main);
	outer(16, REMEMBERS);
	outer(2 * FRAME_BYTES, JUMPS);
	LEAVE();
	truth_write();
	return 0;
}
