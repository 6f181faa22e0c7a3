/* SPDX-License-Identifier: MIT */
/*
 * When a thread is looked at, and how much time a look stands for.
 *
 * Time is cut into ticks of one period. In each tick there is one instant, at
 * random, at which threads can be looked at: regular ones would agree with what
 * a program does regularly. For each thread time is cut into strata of 2^level
 * ticks; one tick of a stratum, at random, is the one in which the thread is
 * looked at, and what is seen stands for the whole stratum:
 *
 *	ticks       |   x   |x      |      x|    x  |  x    |x      | ...
 *	stratum     +-------x-------+-------x-------+---------------x----
 *	of level            0               0                1
 *
 * Each moment of a stratum has the same chance to be seen, so the sums are right
 * on average, whatever the thread does (stratified sampling). How long a stratum
 * is may depend on all that was seen before it began, and on nothing later: so
 * a thread that has waited for long is looked at less often, each 32nd of its
 * wait, and all threads are where looking costs too much.
 *
 * Strata begin at multiples of their length, so that many threads are seen at
 * once: waking up is what costs most. Where all strata are long, groups of threads
 * have chosen ticks of their own, for threads may do the same at the same time.
 *
 * Pure arithmetic, on numbers of ticks from 0.
 */
#ifndef CLEW_TIME_STRATA_H
#define CLEW_TIME_STRATA_H

#include <stdint.h>

#define STRATA_LEVEL_MAX 16

/* What all threads have in common. */
struct strata_clock {
	uint64_t start_ns;  /* of tick 0 */
	uint64_t period_ns; /* of a tick */
	uint64_t seed;
	uint32_t groups_log2; /* of threads; no more than a stratum's ticks */
};

/* Where a thread is; all its strata before `begin` have been looked at. */
struct strata {
	uint64_t begin, end; /* ticks of the stratum: [begin, end) */
	uint64_t due;        /* the tick in which the thread is looked at */
	uint32_t group;      /* of threads, by any number */
	uint32_t level;      /* of strata to come, where they may begin */
};

/* The instant of a tick. */
uint64_t strata_instant_ns(const struct strata_clock *clock, uint64_t tick);

/* The last tick whose instant has come, plus one. */
uint64_t strata_ticks_past(const struct strata_clock *clock, uint64_t now_ns);

/* A thread is there since `since_ns`: in the middle of a stratum. */
void strata_begin(struct strata *strata, const struct strata_clock *clock,
		  uint64_t since_ns, uint32_t group, uint32_t level);

/*
 * How many ticks a look at the thread stands for, when the instants of `past`
 * ticks have come: those of its strata that were due, which are more than one if
 * whoever looks is late. 0: it is not due.
 */
uint64_t strata_take(struct strata *strata, const struct strata_clock *clock,
		     uint64_t past);

/* After a look: strata that have not begun yet are to be of this kind. */
void strata_change(struct strata *strata, const struct strata_clock *clock,
		   uint64_t past, uint32_t group, uint32_t level);

/* The level for a thread that has waited for so many ticks, at most `max`. */
uint32_t strata_level(uint64_t waited, uint32_t max);

#endif
