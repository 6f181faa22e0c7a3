/* SPDX-License-Identifier: MIT */
/*
 * Ends: functions that end in the call of one that does not return, exit()
 * from anywhere, and what runs at exit.
 */
#ifndef CLEW_TESTS_RANDOM_ENDS_H
#define CLEW_TESTS_RANDOM_ENDS_H

#define ENDS_MAX 3

static PLAYED void ends_at_exit(int status, void *unused)
{
	struct surroundings outer = play.now;

	(void)status;
	(void)unused;
	ENTER(ends_at_exit);
	play.is_ending = 1;
	be_apart();
	play.budget = 20;
	play_table[0](1);
	play.now = outer;
	LEAVE();
}

/* Not atexit(), which is a function of the module that calls it. */
TRUTH_INLINE long move_at_exit(function body, long n)
{
	if (play.ends < ENDS_MAX && !play.is_ending && !play.is_crowd) {
		play.ends++;
		on_exit(ends_at_exit, NULL);
	}
	return body(n);
}

TRUTH_INLINE void move_exit(void)
{
	if (!play.now.may_end || draw(30))
		return;
	play.is_ending = 1;
	exit(7);
}

static PLAYED __attribute__((noreturn)) void ends_never(
	const struct landing *landing)
{
	ENTER(ends_never);
	siglongjmp(*(sigjmp_buf *)(uintptr_t)&landing->place, 1);
}

/*
 * The last instruction is a call, so its return address lies behind the
 * function.
 */
static PLAYED __attribute__((noreturn)) void ends_in_call(
	const struct landing *landing)
{
	ENTER(ends_in_call);
	ends_never(landing);
}

static PLAYED void ends_land(function body, long n)
{
	ENTER(ends_land);
	body(n);
	LANDING(LAND_MASK, sigsetjmp(landing.place, 1), ends_in_call(&landing));
	LEAVE();
}

TRUTH_INLINE long move_no_return(function body, long n)
{
	ends_land(body, n);
	return n;
}

#endif
