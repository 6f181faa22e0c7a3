/* SPDX-License-Identifier: MIT */
/*
 * Signals that a function sends to its own thread, and their handler.
 */
#ifndef CLEW_TESTS_RANDOM_SIGNALS_H
#define CLEW_TESTS_RANDOM_SIGNALS_H

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

/*
 * The pending signal is delivered before pthread_sigmask() returns, as
 * move_pending() blocks it meanwhile.
 */
TRUTH_INLINE void move_pending(int number)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	raise(number);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

#endif
