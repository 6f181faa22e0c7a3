/* SPDX-License-Identifier: MIT */
/*
 * A function that calls itself where functions that a jump has left have their
 * slots: within the frame of the second call, which writes nothing there.
 *
 *	outer -> jumps -> deep -> middle -> inner	is left for jumps
 *	outer -> again -> outer -> check
 *
 * The frame of the second outer has the slots of middle and inner.
 *
 * The slot of jumps is overwritten by arguments of again.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <setjmp.h>

#define FRAME_BYTES 8192
#define AWAY_BYTES  3072 /* further down than clew itself writes */
#define CHECKS      1000

static volatile unsigned int sink;
static jmp_buf place;

static COUNTED void check(void)
{
	ENTER(check);
	sink++;
	LEAVE();
}

static COUNTED void inner(void)
{
	ENTER(inner);
	longjmp(place, 1);
}

static COUNTED void middle(void)
{
	ENTER(middle);
	inner();
	LEAVE();
	sink++;
}

static COUNTED void deep(void)
{
	volatile char room[AWAY_BYTES];

	ENTER(deep);
	room[0] = 0;
	middle();
	LEAVE();
	sink += (unsigned int)room[0];
}

static COUNTED void outer(long checks);

/* The last two arguments are on the stack. */
static COUNTED void again(long checks, long b, long c, long d, long e, long f,
			  long g, long h)
{
	ENTER(again);
	outer(checks);
	LEAVE();
	sink += (unsigned int)(b + c + d + e + f + g + h);
}

static COUNTED void jumps(void)
{
	volatile uint32_t here;

	ENTER(jumps);
	here = TRUTH_HERE;
	if (setjmp(place) == 0)
		deep();
	TRUTH_HERE = here;
	LEAVE();
}

static COUNTED void outer(long checks)
{
	volatile char room[FRAME_BYTES];

	ENTER(outer);
	room[0] = 0;
	if (checks == 0) {
		jumps();
		again(CHECKS, 2, 3, 4, 5, 6, 7, 8);
	}
	while (checks-- > 0)
		check();
	LEAVE();
	sink += (unsigned int)room[0];
}

int main(void)
{
	ENTER(main);
	outer(0);
	LEAVE();
	truth_write();
	return 0;
}
